// libcurl's result codes in our words.
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "leadline/base/error.h"

namespace leadline {

// How far the exchange had come when it failed: the same code means different things.
enum class ExchangeStage { kConnecting, kSent, kAnswering };

// `detail` is libcurl's error buffer; it holds host names and system errors, never headers.
Error FromCurl(CURLcode code, ExchangeStage stage, std::string_view detail);

}  // namespace leadline
