#include "server_session.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>
#include <variant>

#include "leadline/http/target.h"
#include "responder_state.h"
#include "server_tls.h"

namespace leadline {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCodeOf = boost::system::error_code;
using PlainStream = boost::beast::tcp_stream;
using TlsStream = boost::beast::ssl_stream<PlainStream>;

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

ServerResponse Plain(int status, std::string body) {
  ServerResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

// All members are touched on the socket's strand only.
template <typename Stream>
class Session final : public ServerSession, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(Stream stream, std::shared_ptr<const ServerShared> shared, OnSessionEnd on_end)
      : stream_(std::move(stream)), shared_(std::move(shared)), on_end_(std::move(on_end)) {}

  void Start() override;
  void Close() override;

 private:
  using StringResponse = http::response<http::string_body>;
  using EmptyResponse = http::response<http::empty_body>;
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  PlainStream& transport() { return boost::beast::get_lowest_layer(stream_); }
  std::shared_ptr<Session> Self() { return this->shared_from_this(); }
  void ShakeHands();
  void ReadHeader();
  void OnHeader(ErrorCodeOf code);
  void SendContinue();
  void ReadBody();
  void OnBody(ErrorCodeOf code);
  bool RefuseBroken(ErrorCodeOf code);
  void Dispatch();
  HttpServer::Responder MakeResponder();
  void Answer(ServerResponse response);
  template <typename Response>
  void Write(Response response, const ServerResponse& from);
  void OnWritten(ErrorCodeOf code);
  void Linger();
  void Drain();
  void End();

  Stream stream_;
  const std::shared_ptr<const ServerShared> shared_;
  OnSessionEnd on_end_;
  std::string client_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::variant<std::monostate, StringResponse, EmptyResponse> response_;
  bool head_ = false;
  bool keep_alive_ = false;
};

template <typename Stream>
void Session<Stream>::Start() {
  asio::dispatch(stream_.get_executor(), [self = Self()] {
    if constexpr (kTls) {
      self->ShakeHands();
    } else {
      self->ReadHeader();
    }
  });
}

template <typename Stream>
void Session<Stream>::Close() {
  asio::post(stream_.get_executor(), [self = Self()] { self->End(); });
}

template <typename Stream>
void Session<Stream>::ShakeHands() {
  transport().expires_after(shared_->options.idle_timeout);
  stream_.async_handshake(asio::ssl::stream_base::server, [self = Self()](ErrorCodeOf code) {
    if (code) return self->End();
    self->client_ = VerifiedClient(self->stream_.native_handle());
    self->ReadHeader();
  });
}

template <typename Stream>
void Session<Stream>::ReadHeader() {
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(shared_->options.max_body_bytes);
  transport().expires_after(shared_->options.idle_timeout);
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = Self()](ErrorCodeOf code, std::size_t) { self->OnHeader(code); });
}

template <typename Stream>
void Session<Stream>::OnHeader(ErrorCodeOf code) {
  if (RefuseBroken(code)) {
    return;
  }
  const bool waits = boost::beast::iequals(parser_->get()[http::field::expect], "100-continue");
  if (waits && !parser_->is_done()) {
    return SendContinue();
  }
  ReadBody();
}

template <typename Stream>
void Session<Stream>::SendContinue() {
  asio::async_write(stream_, asio::buffer(kContinue, sizeof kContinue - 1),
                    [self = Self()](ErrorCodeOf code, std::size_t) {
                      if (code) {
                        return self->End();
                      }
                      self->ReadBody();
                    });
}

template <typename Stream>
void Session<Stream>::ReadBody() {
  http::async_read(stream_, buffer_, *parser_,
                   [self = Self()](ErrorCodeOf code, std::size_t) { self->OnBody(code); });
}

template <typename Stream>
void Session<Stream>::OnBody(ErrorCodeOf code) {
  if (!RefuseBroken(code)) {
    transport().expires_never();  // the handler may think as long as it likes
    Dispatch();
  }
}

// True when reading failed; what is the client's fault is said, anything else ends the session.
template <typename Stream>
bool Session<Stream>::RefuseBroken(ErrorCodeOf code) {
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

template <typename Stream>
void Session<Stream>::Dispatch() {
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
  request.client = client_;
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
template <typename Stream>
HttpServer::Responder Session<Stream>::MakeResponder() {
  auto state =
      std::make_shared<ResponderState>([weak = this->weak_from_this()](ServerResponse response) {
        const std::shared_ptr<Session> self = weak.lock();
        if (self == nullptr || self->shared_->stopped) {
          return;
        }
        asio::dispatch(
            self->stream_.get_executor(),
            [self, answer = std::move(response)]() mutable { self->Answer(std::move(answer)); });
      });
  return [state](ServerResponse response) { state->Call(std::move(response)); };
}

template <typename Stream>
void Session<Stream>::Answer(ServerResponse response) {
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

template <typename Stream>
template <typename Response>
void Session<Stream>::Write(Response message, const ServerResponse& from) {
  message.result(static_cast<unsigned>(from.status));
  if (!HasNoBody(from.status)) {
    message.set(http::field::content_type, from.content_type);
  }
  for (const auto& [name, value] : from.headers) {
    message.insert(name, value);
  }
  message.keep_alive(keep_alive_);
  auto& kept = response_.emplace<Response>(std::move(message));
  transport().expires_after(shared_->options.idle_timeout);
  http::async_write(stream_, kept,
                    [self = Self()](ErrorCodeOf code, std::size_t) { self->OnWritten(code); });
}

template <typename Stream>
void Session<Stream>::OnWritten(ErrorCodeOf code) {
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
template <typename Stream>
void Session<Stream>::Linger() {
  transport().expires_after(kLinger);
  if constexpr (kTls) {
    // Waits for the client's own closing message.
    stream_.async_shutdown([self = Self()](ErrorCodeOf) { self->End(); });
  } else {
    ErrorCodeOf ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    Drain();
  }
}

template <typename Stream>
void Session<Stream>::Drain() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(16 << 10),
                          [self = Self()](ErrorCodeOf code, std::size_t) {
                            if (code) {
                              return self->End();
                            }
                            self->Drain();
                          });
}

template <typename Stream>
void Session<Stream>::End() {
  if (on_end_ == nullptr) {
    return;
  }
  transport().close();
  std::exchange(on_end_, nullptr)(this);
}

}  // namespace

std::shared_ptr<ServerSession> MakeSession(asio::ip::tcp::socket socket, asio::ssl::context* tls,
                                           std::shared_ptr<const ServerShared> shared,
                                           OnSessionEnd on_end) {
  if (tls == nullptr) {
    return std::make_shared<Session<PlainStream>>(PlainStream(std::move(socket)), std::move(shared),
                                                  std::move(on_end));
  }
  return std::make_shared<Session<TlsStream>>(TlsStream(std::move(socket), *tls), std::move(shared),
                                              std::move(on_end));
}

}  // namespace leadline
