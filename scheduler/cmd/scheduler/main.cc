// leadline-scheduler: assembles and runs; decides nothing.
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "app.h"
#include "flags.h"
#include "leadline/base/exit_codes.h"
#include "settings.h"

namespace leadline {
namespace {

int Fail(int code, const Error& error) {
  fmt::print(stderr, "leadline-scheduler: {}\n", error.message());
  return code;
}

// A clock before this program existed writes 1970 into logs, Events and conditions.
Result<void> CheckClock() {
  const SystemTime now = Clock::Real().Now();
  if (now >= FromUnixSeconds(1767225600)) return {};
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("the system clock says {}: set it (time zones do not matter, everything "
                           "here is UTC)",
                           FormatRfc3339(now)));
}

// No signal, but the end all the same.
constexpr int kLost = 0;

// The first reason to end counts; both come from the io thread.
void End(std::promise<int>& ended, int why) {
  try {
    ended.set_value(why);
  } catch (const std::future_error&) {
  }
}

// Runs until a signal comes or the leadership is lost; the io thread goes on until bindings under
// way have ended.
int Serve(boost::asio::io_context& io, App& app, std::promise<int>& ended) {
  auto work = boost::asio::make_work_guard(io);
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (!error) End(ended, signal);
  });
  std::promise<Result<void>> started;
  boost::asio::post(io, [&] { started.set_value(app.Start()); });
  std::thread io_thread([&io] { io.run(); });
  int code = 0;
  if (const Result<void> ok = started.get_future().get(); !ok) {
    code = Fail(kRanAndFailed, ok.error());
  } else {
    const int signal = ended.get_future().get();
    spdlog::info("stopping");
    app.Stop();
    if (signal == kLost) {
      code = Fail(kRanAndFailed, Error(ErrorCode::kCancelled, "the leadership is lost"));
    } else {
      code = signal == SIGINT ? kInterrupted : 0;
    }
  }
  io.stop();
  io_thread.join();
  return code;
}

int Run(const SchedulerFlags& flags) {
  spdlog::set_level(spdlog::level::from_str(flags.log_level));
  if (auto ok = CheckClock(); !ok) return Fail(kWrongConfiguration, ok.error());
  Result<Settings> settings = LoadSettings(flags);
  if (!settings) return Fail(kWrongConfiguration, settings.error());
  Result<HttpServerOptions> http = ParseHttpAddress(flags.http_address);
  if (!http) return Fail(kWrongConfiguration, http.error().WithContext("--http-address"));
  http->tls = {flags.tls_cert_file, flags.tls_private_key_file, flags.client_ca_file};
  std::optional<ClientConfig> client;
  if (!flags.check || !flags.kubeconfig.empty()) {
    Result<ClientConfig> found = FindApiServer(flags, *settings);
    if (!found) return Fail(kWrongConfiguration, found.error());
    if (!flags.check) client = std::move(*found);
  }
  boost::asio::io_context io;
  std::promise<int> ended;
  App app(io, flags, std::move(*settings), [&ended] { End(ended, kLost); });
  if (auto made = app.Assemble(std::move(client), *http); !made) {
    return Fail(kWrongConfiguration, made.error());
  }
  if (flags.check) {
    fmt::print("the configuration is right\n");
    return 0;
  }
  return Serve(io, app, ended);
}

}  // namespace
}  // namespace leadline

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("leadline"));
  const auto parsed = leadline::ParseFlags(argc, argv);
  return parsed.flags ? leadline::Run(*parsed.flags) : parsed.exit_code;
}
