#include <cstdint>

#include "leadline/telemetry/query_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  leadline::HttpResponse response;
  response.body.assign(reinterpret_cast<const char*>(data), size);
  for (const int status : {200, 400, 503}) {
    response.status = status;
    const auto answer = leadline::ReadQueryResponse(response);
    if (!answer) {
      if (answer.error().message().size() > 2000) __builtin_trap();
      continue;
    }
    for (const leadline::Sample& sample : answer->samples) (void)sample.LabelText();
  }
  return 0;
}
