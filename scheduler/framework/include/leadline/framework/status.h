// A plugin's verdict. It is not an error type: "this node does not fit" is an ordinary answer.
// k8s.io/kube-scheduler/framework, Status and Code.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leadline {

class Status {
 public:
  enum class Code {
    kSuccess,
    kError,                         // the plugin could not tell; fails the whole cycle
    kUnschedulable,                 // does not fit now; preemption may help
    kUnschedulableAndUnresolvable,  // does not fit, and evicting others cannot help
    kWait,                          // Permit: hold the Pod
    kSkip,                          // nothing to say for this Pod
    kPending,                       // PreEnqueue and later points: waits for something else
    kDeferred,                      // ours: fits, but the policy rather waits; never a condition
  };

  Status() = default;  // success
  Status(Code code, std::string reason) : code_(code) { reasons_.push_back(std::move(reason)); }
  Status(Code code, std::vector<std::string> reasons) : code_(code), reasons_(std::move(reasons)) {}
  static Status Skip() { return Status(Code::kSkip, std::vector<std::string>()); }

  Code code() const { return code_; }
  bool ok() const { return code_ == Code::kSuccess; }
  bool skip() const { return code_ == Code::kSkip; }
  // Unschedulable of either kind, or pending: the Pod goes to the unschedulable Pods.
  bool rejected() const {
    return code_ == Code::kUnschedulable || code_ == Code::kUnschedulableAndUnresolvable ||
           code_ == Code::kPending;
  }
  const std::vector<std::string>& reasons() const { return reasons_; }
  std::string Message() const;  // reasons joined by ", "

  // The plugin that said it; set by the Framework.
  const std::string& plugin() const { return plugin_; }
  void set_plugin(std::string_view plugin) { plugin_ = plugin; }

 private:
  Code code_ = Code::kSuccess;
  std::vector<std::string> reasons_;
  std::string plugin_;
};

// Node name and the Status that kept the Pod off it, in the order of the snapshot.
using NodeToStatus = std::vector<std::pair<std::string, Status>>;

// "Success", "Unschedulable", ... as kube-scheduler's metrics label them.
std::string_view StatusCodeName(Status::Code code);

}  // namespace leadline
