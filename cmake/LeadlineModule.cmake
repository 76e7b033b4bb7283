# One way to declare each kind of target, so that the architecture test can read the graph.

# leadline_module(NAME base DEPENDS ... LIBRARIES ...)
# Makes static library leadline_<NAME> from src/*.cc, with include/ as its only include root.
# DEPENDS are modules of ours (by NAME), LIBRARIES are external targets.
function(leadline_module)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cc)
  set(target leadline_${ARG_NAME})
  file(RELATIVE_PATH directory ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  list(JOIN ARG_DEPENDS " " edges)
  set_property(GLOBAL APPEND PROPERTY LEADLINE_EDGES "${ARG_NAME} ${directory}: ${edges}")
  list(TRANSFORM ARG_DEPENDS PREPEND leadline::)
  if(NOT sources)  # headers only
    add_library(${target} INTERFACE)
    add_library(leadline::${ARG_NAME} ALIAS ${target})
    target_include_directories(${target} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
    target_link_libraries(${target} INTERFACE ${ARG_DEPENDS} ${ARG_LIBRARIES})
    return()
  endif()
  add_library(${target} STATIC ${sources})
  add_library(leadline::${ARG_NAME} ALIAS ${target})
  target_include_directories(${target}
    PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} ${ARG_LIBRARIES} PRIVATE leadline_options)
endfunction()

# Everything that people run; what `./run build` and `./run demo` need.
add_custom_target(programs)

# Writes what the architecture test compares with its allowed edges.
function(leadline_write_edges file)
  get_property(edges GLOBAL PROPERTY LEADLINE_EDGES)
  list(JOIN edges "\n" text)
  file(WRITE ${file} "${text}\n")
endfunction()

# leadline_program(NAME leadline-scheduler SOURCES ... DEPENDS ... LIBRARIES ...)
function(leadline_program)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND leadline::)
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPENDS} ${ARG_LIBRARIES} leadline_options)
  add_dependencies(programs ${ARG_NAME})
endfunction()

# leadline_test(NAME base_test MODULE common/base DEPENDS base LIBRARIES ... ENVIRONMENT K=V ...)
# Builds tests/<MODULE>/*_test.cc into one GoogleTest program, run by ctest as one test.
function(leadline_test)
  cmake_parse_arguments(ARG "" "NAME;MODULE;TIMEOUT" "DEPENDS;LIBRARIES;ENVIRONMENT" ${ARGN})
  if(NOT LEADLINE_TESTS)
    return()
  endif()
  set(directory ${CMAKE_SOURCE_DIR}/tests/${ARG_MODULE})
  file(GLOB sources CONFIGURE_DEPENDS ${directory}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${ARG_NAME} ${sources})
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${ARG_NAME} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${ARG_NAME} PRIVATE
    LEADLINE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" LEADLINE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  list(TRANSFORM ARG_DEPENDS PREPEND leadline::)
  target_link_libraries(${ARG_NAME} PRIVATE
    ${ARG_DEPENDS} ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main leadline_options)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  set_tests_properties(${ARG_NAME} PROPERTIES
    TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# leadline_fuzz(NAME quantity DEPENDS kubernetes)
# tests/fuzz/<NAME>_fuzz.cc defines LLVMFuzzerTestOneInput; seeds lie in tests/fuzz/corpus/<NAME>/.
# With LEADLINE_FUZZ it is a libFuzzer program; otherwise a small main runs the corpus and
# mutations of it, and ctest runs that as the short form.
add_custom_target(fuzzers)
function(leadline_fuzz)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS;LIBRARIES" ${ARGN})
  if(NOT LEADLINE_TESTS)
    return()
  endif()
  set(target ${ARG_NAME}_fuzz)
  set(corpus ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${ARG_NAME})
  list(TRANSFORM ARG_DEPENDS PREPEND leadline::)
  if(LEADLINE_FUZZ)
    add_executable(${target} ${CMAKE_SOURCE_DIR}/tests/fuzz/${target}.cc)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    add_executable(${target} ${CMAKE_SOURCE_DIR}/tests/fuzz/${target}.cc
      ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus_main.cc)
    add_test(NAME ${target} COMMAND ${target} ${corpus})
    set_tests_properties(${target} PROPERTIES TIMEOUT 120)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} ${ARG_LIBRARIES} leadline_options)
  add_dependencies(fuzzers ${target})
endfunction()

# Everything that `./run bench` runs.
add_custom_target(benchmarks)

# leadline_bench(NAME decisions DEPENDS core ...)
# Builds tests/bench/<NAME>_bench.cc, a Google Benchmark program, where LEADLINE_BENCH is on.
function(leadline_bench)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS;LIBRARIES" ${ARGN})
  if(NOT LEADLINE_BENCH)
    return()
  endif()
  set(target ${ARG_NAME}_bench)
  add_executable(${target} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bench/${target}.cc)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/benchmarks)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  list(TRANSFORM ARG_DEPENDS PREPEND leadline::)
  target_link_libraries(${target} PRIVATE
    ${ARG_DEPENDS} ${ARG_LIBRARIES} benchmark::benchmark_main leadline_options)
  add_dependencies(benchmarks ${target})
endfunction()
