// The real Prometheus as a child process, with a directory of its own.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "leadline/http/client.h"
#include "scheduler/telemetry/fake_prometheus.h"

namespace leadline {

class RealPrometheus {
 public:
  static constexpr char kProgram[] = "/usr/bin/prometheus";

  // `scrape_configs`: that part of its configuration, YAML.
  explicit RealPrometheus(const std::string& scrape_configs) {
    std::string name = testing::TempDir() + "prometheus-XXXXXX";
    directory_ = mkdtemp(name.data());
    std::ofstream(directory_ + "/prometheus.yml")
        << "global: {scrape_interval: 500ms, scrape_timeout: 500ms}\nscrape_configs:\n"
        << scrape_configs;
    // Somebody else may take the free port first.
    for (int attempt = 0; attempt < 3 && !ready_; ++attempt) {
      Stop();
      Start();
      ready_ = Eventually([this] { return Ready() || Dead(); }) && Ready();
    }
  }
  ~RealPrometheus() {
    Stop();
    std::filesystem::remove_all(directory_);
  }

  bool ready() const { return ready_; }
  const std::string& directory() const { return directory_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  void Stop() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
  }

 private:
  static int FreePort() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(listener, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    close(listener);
    return ntohs(address.sin_port);
  }

  void Start() {
    port_ = FreePort();
    const std::string config = "--config.file=" + directory_ + "/prometheus.yml";
    const std::string storage = "--storage.tsdb.path=" + directory_ + "/data";
    const std::string listen = "--web.listen-address=127.0.0.1:" + std::to_string(port_);
    child_ = fork();
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(kProgram, kProgram, config.c_str(), storage.c_str(), listen.c_str(), "--log.level=error",
          nullptr);
    _exit(127);
  }

  bool Dead() {
    if (child_ > 0 && waitpid(child_, nullptr, WNOHANG) == child_) child_ = -1;
    return child_ <= 0;
  }

  bool Ready() {
    HttpRequest request;
    request.url = url() + "/-/ready";
    const auto response = client_.SendAndWait(request);
    return response && response->status == 200;
  }

  std::string directory_;
  int port_ = 0;
  pid_t child_ = -1;
  bool ready_ = false;
  IoThread thread_;
  HttpClient client_{thread_.io(), {}};
};

}  // namespace leadline
