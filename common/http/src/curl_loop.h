// libcurl's multi handle driven by Asio: curl says which sockets and which time it waits for,
// Asio does the waiting (https://curl.se/libcurl/c/curl_multi_socket_action.html).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <functional>
#include <memory>
#include <unordered_map>

#include "curl_handles.h"

namespace leadline {

// Every member is called on the strand, but for the destructor, which may run anywhere once
// nothing else does.
class CurlLoop : public std::enable_shared_from_this<CurlLoop> {
 public:
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
  // Called for each exchange that libcurl has ended; Remove() it there.
  using OnDone = std::function<void(CURL*, CURLcode)>;

  CurlLoop(Strand strand, OnDone on_done);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  void Add(CURL* easy);
  void Remove(CURL* easy);
  // Stops waiting; nothing is called afterwards. Exchanges that are left must still be removed.
  void Shutdown();

 private:
  // Waits on a duplicate of curl's descriptor, so that curl may close its own at any time.
  struct Socket {
    explicit Socket(const Strand& strand) : descriptor(strand) {}
    boost::asio::posix::stream_descriptor descriptor;
    curl_socket_t number = CURL_SOCKET_BAD;
    int action = CURL_POLL_NONE;
    bool waiting_read = false;
    bool waiting_write = false;
  };

  static int OnSocket(CURL*, curl_socket_t number, int action, void* self, void*);
  static int OnTimer(CURLM*, long milliseconds, void* self);

  void Watch(curl_socket_t number, int action);
  void Wait(const std::shared_ptr<Socket>& socket);
  void Arm(const std::shared_ptr<Socket>& socket, int action);
  void Act(curl_socket_t number, int events);

  Strand strand_;
  OnDone on_done_;
  CURLM* const multi_;
  boost::asio::steady_timer timer_;
  std::unordered_map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
};

}  // namespace leadline
