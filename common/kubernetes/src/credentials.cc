#include "credentials.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/post.hpp>

#include <spdlog/spdlog.h>

#include "files.h"

namespace leadline {
namespace {

// The kubelet swaps the file long before the old token ends.
// https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/
constexpr std::chrono::seconds kReadAgain(60);

}  // namespace

Credentials::Credentials(Strand strand, ClientConfig config, const Clock& clock)
    : strand_(std::move(strand)),
      config_(std::move(config)),
      clock_(clock),
      cancel_(::eventfd(0, EFD_CLOEXEC)) {
  current_.token = config_.token;
}

Credentials::~Credentials() {
  Stop();
  ::close(cancel_);
}

void Credentials::Stop() {
  const std::lock_guard lock(plugin_mutex_);
  stopped_ = true;
  if (plugin_.joinable()) {
    ::eventfd_write(cancel_, 1);
    plugin_.join();
  }
}

void Credentials::Get(Taker take) {
  if (config_.exec) {
    if (!PluginIsDue()) {
      return take(current_);
    }
    waiting_.push_back(std::move(take));
    return StartPlugin();
  }
  if (!config_.token_file.empty()) {
    ReadTokenFile();
    if (!have_) {
      return take(Error(ErrorCode::kPermissionDenied,
                        "no token: " + config_.token_file + " cannot be read or is empty"));
    }
  }
  take(current_);
}

void Credentials::Reject(const Credential& refused) {
  if (refused.token == current_.token && refused.certificate_pem == current_.certificate_pem) {
    read_.reset();
    have_ = config_.exec ? false : have_;  // a token that cannot be replaced is kept
  }
}

void Credentials::ReadTokenFile() {
  if (read_ && clock_.SteadyNow() - *read_ < kReadAgain) {
    return;
  }
  read_ = clock_.SteadyNow();
  const auto text = ReadFile(config_.token_file);
  if (!text || TrimSpace(*text).empty()) {
    spdlog::warn("service account token: {}; {}",
                 text ? config_.token_file + ": empty" : text.error().message(),
                 have_ ? "keeping the last one" : "there is none yet");
    if (!have_) {
      read_.reset();
    }
    return;
  }
  current_.token = TrimSpace(*text);
  have_ = true;
}

bool Credentials::PluginIsDue() const {
  return !have_ || (current_.expires && *current_.expires <= clock_.Now());
}

void Credentials::StartPlugin() {
  if (waiting_.size() > 1) {
    return;  // it runs already
  }
  const std::lock_guard lock(plugin_mutex_);
  if (stopped_) {
    return;
  }
  if (plugin_.joinable()) {
    plugin_.join();  // of the last time, and done
  }
  // The thread never owns this object: its destructor waits for the thread.
  plugin_ =
      std::thread([weak = weak_from_this(), strand = strand_, config = config_, cancel = cancel_] {
        auto result = RunExecPlugin(config, cancel);
        boost::asio::post(strand, [weak, result = std::move(result)]() mutable {
          if (const auto self = weak.lock()) {
            self->OnPlugin(std::move(result));
          }
        });
      });
}

void Credentials::OnPlugin(Result<Credential> result) {
  have_ = result.has_value();
  if (result) {
    current_ = *result;
  }
  std::vector<Taker> waiting;
  waiting.swap(waiting_);
  for (const Taker& take : waiting) {
    take(result);
  }
}

}  // namespace leadline
