#include "curl_loop.h"

#include <fcntl.h>

#include <vector>

namespace leadline {
namespace {

namespace asio = boost::asio;

constexpr long kKeptConnections = 64;

bool Wants(int action, int event) { return action == event || action == CURL_POLL_INOUT; }

}  // namespace

CurlLoop::CurlLoop(Strand strand, OnDone on_done)
    : strand_(std::move(strand)),
      on_done_(std::move(on_done)),
      multi_(curl_multi_init()),
      timer_(strand_) {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLoop::OnSocket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLoop::OnTimer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections);
}

CurlLoop::~CurlLoop() { curl_multi_cleanup(multi_); }

void CurlLoop::Add(CURL* easy) { curl_multi_add_handle(multi_, easy); }

void CurlLoop::Remove(CURL* easy) { curl_multi_remove_handle(multi_, easy); }

void CurlLoop::Shutdown() {
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  on_done_ = nullptr;
  timer_.cancel();
  for (const auto& [number, socket] : sockets_) {
    socket->action = CURL_POLL_REMOVE;
    socket->descriptor.close();
  }
  sockets_.clear();
}

int CurlLoop::OnSocket(CURL*, curl_socket_t number, int action, void* self, void*) {
  static_cast<CurlLoop*>(self)->Watch(number, action);
  return 0;
}

void CurlLoop::Watch(curl_socket_t number, int action) {
  auto found = sockets_.find(number);
  if (action == CURL_POLL_REMOVE) {
    if (found != sockets_.end()) {
      boost::system::error_code ignored;
      found->second->action = CURL_POLL_REMOVE;
      found->second->descriptor.close(ignored);
      sockets_.erase(found);
    }
    return;
  }
  if (found == sockets_.end()) {
    auto socket = std::make_shared<Socket>(strand_);
    socket->number = number;
    boost::system::error_code code;
    socket->descriptor.assign(::fcntl(number, F_DUPFD_CLOEXEC, 0), code);
    if (code) {
      return;  // out of descriptors: curl's own time-out ends the exchange
    }
    found = sockets_.emplace(number, std::move(socket)).first;
  }
  found->second->action = action;
  Wait(found->second);
}

void CurlLoop::Wait(const std::shared_ptr<Socket>& socket) {
  if (Wants(socket->action, CURL_POLL_IN) && !std::exchange(socket->waiting_read, true)) {
    Arm(socket, CURL_POLL_IN);
  }
  if (Wants(socket->action, CURL_POLL_OUT) && !std::exchange(socket->waiting_write, true)) {
    Arm(socket, CURL_POLL_OUT);
  }
}

void CurlLoop::Arm(const std::shared_ptr<Socket>& socket, int action) {
  const bool read = action == CURL_POLL_IN;
  socket->descriptor.async_wait(
      read ? asio::posix::descriptor_base::wait_read : asio::posix::descriptor_base::wait_write,
      [self = shared_from_this(), socket, read, action](boost::system::error_code code) {
        (read ? socket->waiting_read : socket->waiting_write) = false;
        if (code || !Wants(socket->action, action)) {
          return;
        }
        self->Act(socket->number, read ? CURL_CSELECT_IN : CURL_CSELECT_OUT);
        self->Wait(socket);
      });
}

// A time-out of zero must not be acted on from inside the callback, hence always the timer.
int CurlLoop::OnTimer(CURLM*, long milliseconds, void* self) {
  auto* const loop = static_cast<CurlLoop*>(self);
  if (milliseconds < 0) {
    loop->timer_.cancel();
    return 0;
  }
  loop->timer_.expires_after(std::chrono::milliseconds(milliseconds));
  loop->timer_.async_wait([shared = loop->shared_from_this()](boost::system::error_code code) {
    if (!code) {
      shared->Act(CURL_SOCKET_TIMEOUT, 0);
    }
  });
  return 0;
}

void CurlLoop::Act(curl_socket_t number, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, number, events, &running);
  std::vector<std::pair<CURL*, CURLcode>> done;
  int queued = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_, &queued)) {
    if (message->msg == CURLMSG_DONE) {
      done.emplace_back(message->easy_handle, message->data.result);
    }
  }
  for (const auto& [easy, code] : done) {
    if (on_done_) {
      on_done_(easy, code);
    }
  }
}

}  // namespace leadline
