// What the client needs to know about a URL before it asks libcurl to go there.
#pragma once

#include <string>

#include "leadline/base/result.h"

namespace leadline {

struct ClientUrl {
  std::string url;         // as given to libcurl
  std::string origin;      // "https://host:port", fit for messages: no path, query or credentials
  std::string connect_to;  // for CURLOPT_CONNECT_TO; empty: the URL's own host
  std::string host;        // Host header to send instead of the URL's host; empty: none
};

// With `server_name`, the URL names that host (which libcurl then verifies and sends as SNI)
// while the connection goes to the URL's own. kInvalidArgument for anything but http and https.
Result<ClientUrl> PrepareUrl(const std::string& url, const std::string& server_name);

}  // namespace leadline
