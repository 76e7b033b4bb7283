// libcurl's handles, owned.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace leadline {

struct CurlDelete {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(char* text) const { curl_free(text); }
};

using UniqueEasy = std::unique_ptr<CURL, CurlDelete>;
using UniqueUrl = std::unique_ptr<CURLU, CurlDelete>;
using UniqueList = std::unique_ptr<curl_slist, CurlDelete>;
using UniqueText = std::unique_ptr<char, CurlDelete>;

}  // namespace leadline
