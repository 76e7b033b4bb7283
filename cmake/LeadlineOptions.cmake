# Compiler options that every target of ours is built with (target `leadline_options`).

add_library(leadline_options INTERFACE)
target_compile_options(leadline_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these falsely for inlined std::string and std::optional code (GCC bugs 105329, 105562).
  target_compile_options(leadline_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()

# Release without -march=native: the programs run in other people's images. Hot loops choose their
# instruction set at run time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

if(LEADLINE_SANITIZE)
  target_compile_options(leadline_options INTERFACE
    -fsanitize=${LEADLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(leadline_options INTERFACE -fsanitize=${LEADLINE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Sanitizer instrumentation makes g++ 12 see impossible paths.
    target_compile_options(leadline_options INTERFACE
      -Wno-stringop-overflow -Wno-array-bounds -Wno-tsan -Wno-null-dereference)
  endif()
endif()

find_program(LEADLINE_CCACHE ccache)
if(LEADLINE_CCACHE)
  # The working directory is left out of the hash so that presets and checkouts share objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${LEADLINE_CCACHE})
endif()
find_program(LEADLINE_MOLD mold)
if(LEADLINE_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=mold)
endif()
