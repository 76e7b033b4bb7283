// The credential to send with the next request: fixed, from a file that changes, or from a plugin.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "exec_credential.h"
#include "leadline/base/clock.h"
#include "leadline/kubernetes/client_config.h"

namespace leadline {

// Members are called on the strand, but for Stop().
class Credentials : public std::enable_shared_from_this<Credentials> {
 public:
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
  using Taker = std::function<void(Result<Credential>)>;

  Credentials(Strand strand, ClientConfig config, const Clock& clock);
  ~Credentials();

  // Calls `take` on the strand, at once when the credential is at hand.
  void Get(Taker take);
  // The server answered 401 to this one: the next Get() looks for another.
  void Reject(const Credential& refused);
  // Ends a plugin that runs, if any; nobody is called afterwards. Blocks until it is gone.
  void Stop();

 private:
  void ReadTokenFile();
  void StartPlugin();
  void OnPlugin(Result<Credential> result);
  bool PluginIsDue() const;

  Strand strand_;
  const ClientConfig config_;
  const Clock& clock_;
  Credential current_;
  bool have_ = false;
  std::optional<SteadyTime> read_;  // when the token file was last looked at
  std::vector<Taker> waiting_;
  std::mutex plugin_mutex_;
  std::thread plugin_;    // by plugin_mutex_
  bool stopped_ = false;  // by plugin_mutex_
  int cancel_;            // an eventfd that ends the plugin
};

}  // namespace leadline
