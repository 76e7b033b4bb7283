#include "server_session.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "leadline/http/target.h"

namespace leadline {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCodeOf = boost::system::error_code;

constexpr std::uint32_t kMaxHeaderBytes = 64 << 10;
// How long a refused client may go on sending before the connection is cut.
constexpr std::chrono::seconds kLinger(2);
constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool HasNoBody(int status) { return status < 200 || status == 204 || status == 304; }

// Answers once; when the last copy goes without an answer, 500.
class ResponderState {
 public:
  using Reply = std::function<void(ServerResponse)>;
  explicit ResponderState(Reply reply) : reply_(std::move(reply)) {}
  ~ResponderState() {
    ServerResponse response;
    response.status = 500;
    response.body = "the request was given up\n";
    Call(std::move(response));
  }
  void Call(ServerResponse response) {
    if (!done_.exchange(true)) {
      reply_(std::move(response));
    }
  }

 private:
  std::atomic<bool> done_ = false;
  const Reply reply_;
};

ServerResponse Plain(int status, std::string body) {
  ServerResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

}  // namespace

ServerSession::ServerSession(asio::ip::tcp::socket socket,
                             std::shared_ptr<const ServerShared> shared, OnEnd on_end)
    : stream_(std::move(socket)), shared_(std::move(shared)), on_end_(std::move(on_end)) {}

void ServerSession::Start() {
  asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->ReadHeader(); });
}

void ServerSession::Close() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] { self->End(); });
}

void ServerSession::ReadHeader() {
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(shared_->options.max_body_bytes);
  stream_.expires_after(shared_->options.idle_timeout);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCodeOf code, std::size_t) { self->OnHeader(code); });
}

void ServerSession::OnHeader(ErrorCodeOf code) {
  if (RefuseBroken(code)) {
    return;
  }
  const bool waits = boost::beast::iequals(parser_->get()[http::field::expect], "100-continue");
  if (waits && !parser_->is_done()) {
    return SendContinue();
  }
  ReadBody();
}

void ServerSession::SendContinue() {
  asio::async_write(stream_, asio::buffer(kContinue, sizeof kContinue - 1),
                    [self = shared_from_this()](ErrorCodeOf code, std::size_t) {
                      if (code) {
                        return self->End();
                      }
                      self->ReadBody();
                    });
}

void ServerSession::ReadBody() {
  http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCodeOf code, std::size_t) { self->OnBody(code); });
}

void ServerSession::OnBody(ErrorCodeOf code) {
  if (!RefuseBroken(code)) {
    stream_.expires_never();  // the handler may think as long as it likes
    Dispatch();
  }
}

// True when reading failed; what is the client's fault is said, anything else ends the session.
bool ServerSession::RefuseBroken(ErrorCodeOf code) {
  head_ = parser_->get().method() == http::verb::head;
  keep_alive_ = !code && parser_->get().keep_alive();
  if (!code) {
    return false;
  }
  if (code == http::error::body_limit) {
    Answer(Plain(413, "the body is larger than " + std::to_string(shared_->options.max_body_bytes) +
                          " bytes\n"));
  } else if (code == http::error::header_limit) {
    Answer(Plain(431, "the header is too large\n"));
  } else if (code.category() == http::make_error_code(http::error::bad_method).category() &&
             code != http::error::end_of_stream && code != http::error::partial_message) {
    Answer(Plain(400, "not HTTP: " + code.message() + "\n"));
  } else {
    End();
  }
  return true;
}

void ServerSession::Dispatch() {
  auto message = parser_->release();
  const auto target = ParseTarget({message.target().data(), message.target().size()});
  if (!target) {
    return Answer(Plain(400, target.error().message() + "\n"));
  }
  ServerRequest request;
  request.method = std::string(message.method_string());
  request.path = target->path;
  request.query = target->query;
  request.body = std::move(message.body());
  for (const auto& field : message) {
    request.headers.emplace_back(
        LowerCase({field.name_string().data(), field.name_string().size()}),
        std::string(field.value()));
  }
  const Router::Match match = shared_->router.Find(request.method, request.path);
  if (shared_->stopped) {
    return End();
  }
  if (match.handler != nullptr) {
    return (*match.handler)(request, MakeResponder());
  }
  if (match.allow.empty()) {
    return Answer(Plain(404, "no such path\n"));
  }
  ServerResponse refused = Plain(405, "this path takes " + match.allow + "\n");
  refused.headers.emplace_back("Allow", match.allow);
  Answer(std::move(refused));
}

// Holds the session weakly: a handler that never answers does not keep a closed connection.
HttpServer::Responder ServerSession::MakeResponder() {
  auto state = std::make_shared<ResponderState>([weak = weak_from_this()](ServerResponse response) {
    const std::shared_ptr<ServerSession> self = weak.lock();
    if (self == nullptr || self->shared_->stopped) {
      return;
    }
    asio::dispatch(self->stream_.get_executor(), [self, answer = std::move(response)]() mutable {
      self->Answer(std::move(answer));
    });
  });
  return [state](ServerResponse response) { state->Call(std::move(response)); };
}

void ServerSession::Answer(ServerResponse response) {
  if (on_end_ == nullptr) {
    return;  // closed meanwhile
  }
  if (!head_ && !HasNoBody(response.status)) {
    StringResponse message;
    message.body() = std::move(response.body);
    message.content_length(message.body().size());
    return Write(std::move(message), response);
  }
  EmptyResponse message;
  if (!HasNoBody(response.status)) {
    message.content_length(response.body.size());
  }
  Write(std::move(message), response);
}

template <typename Response>
void ServerSession::Write(Response message, const ServerResponse& from) {
  message.result(static_cast<unsigned>(from.status));
  if (!HasNoBody(from.status)) {
    message.set(http::field::content_type, from.content_type);
  }
  for (const auto& [name, value] : from.headers) {
    message.insert(name, value);
  }
  message.keep_alive(keep_alive_);
  auto& kept = response_.emplace<Response>(std::move(message));
  stream_.expires_after(shared_->options.idle_timeout);
  http::async_write(stream_, kept, [self = shared_from_this()](ErrorCodeOf code, std::size_t) {
    self->OnWritten(code);
  });
}

void ServerSession::OnWritten(ErrorCodeOf code) {
  response_ = std::monostate();
  if (code || shared_->stopped) {
    return End();
  }
  if (keep_alive_) {
    return ReadHeader();
  }
  Linger();
}

// Closing with unread bytes would reset the connection, and the client would never read why it
// was refused: say that we are done, then read until the client is, within reason.
void ServerSession::Linger() {
  ErrorCodeOf ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(kLinger);
  Drain();
}

void ServerSession::Drain() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(16 << 10),
                          [self = shared_from_this()](ErrorCodeOf code, std::size_t) {
                            if (code) {
                              return self->End();
                            }
                            self->Drain();
                          });
}

void ServerSession::End() {
  if (on_end_ == nullptr) {
    return;
  }
  stream_.close();
  std::exchange(on_end_, nullptr)(this);
}

}  // namespace leadline
