// A plugin that does what a test tells it, at every extension point.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leadline/framework/framework.h"
#include "leadline/framework/queued_pod_info.h"

namespace leadline {

// What a test makes of a plugin, and what the plugin writes down.
struct Script {
  std::function<Status(PreFilterResult*)> pre_filter = [](PreFilterResult*) { return Status(); };
  std::function<Status(const NodeInfo&)> filter = [](const NodeInfo&) { return Status(); };
  std::function<Status(PostFilterResult*)> post_filter = [](PostFilterResult*) { return Status(); };
  std::function<Status()> pre_score = [] { return Status(); };
  std::function<Result<std::int64_t>(const NodeInfo&)> score = [](const NodeInfo&) { return 0; };
  std::function<Status(std::span<std::int64_t>)> normalize = [](auto) { return Status(); };
  Status reserve, permit, pre_bind, bind;
  std::chrono::nanoseconds permit_wait{0};
  std::vector<std::string>* calls = nullptr;  // "Name.Point", in the order they were made
};

class ScriptedPlugin : public PreFilterPlugin,
                       public FilterPlugin,
                       public PostFilterPlugin,
                       public PreScorePlugin,
                       public ScorePlugin,
                       public ReservePlugin,
                       public PermitPlugin,
                       public PreBindPlugin,
                       public BindPlugin,
                       public PostBindPlugin {
 public:
  ScriptedPlugin(std::string name, std::shared_ptr<const Script> script)
      : name_(std::move(name)), script_(std::move(script)) {}
  std::string_view Name() const override { return name_; }

  Status PreFilter(CycleState&, const PodInfo&, PreFilterResult* result) override {
    Note("PreFilter");
    return script_->pre_filter(result);
  }
  Status Filter(const CycleState&, const PodInfo&, const NodeInfo& node) override {
    Note("Filter");
    return script_->filter(node);
  }
  Status PostFilter(CycleState&, const PodInfo&, const NodeToStatus&, FilterTrial&,
                    PostFilterResult* result) override {
    Note("PostFilter");
    return script_->post_filter(result);
  }
  Status PreScore(CycleState&, const PodInfo&, NodeList) override {
    Note("PreScore");
    return script_->pre_score();
  }
  Result<std::int64_t> Score(const CycleState&, const PodInfo&, const NodeInfo& node,
                             std::size_t) override {
    Note("Score");
    return script_->score(node);
  }
  Status NormalizeScore(const CycleState&, const PodInfo&,
                        std::span<std::int64_t> scores) override {
    Note("NormalizeScore");
    return script_->normalize(scores);
  }
  Status Reserve(CycleState&, const PodInfo&, const std::string&) override {
    Note("Reserve");
    return script_->reserve;
  }
  void Unreserve(CycleState&, const PodInfo&, const std::string&) override { Note("Unreserve"); }
  Status Permit(CycleState&, const PodInfo&, const std::string&,
                std::chrono::nanoseconds* wait) override {
    Note("Permit");
    *wait = script_->permit_wait;
    return script_->permit;
  }
  void PreBind(CycleState&, const PodInfo&, const std::string&, StatusCallback done) override {
    Note("PreBind");
    done(script_->pre_bind);
  }
  void Bind(CycleState&, const PodInfo&, const std::string&, StatusCallback done) override {
    Note("Bind");
    done(script_->bind);
  }
  void PostBind(CycleState&, const PodInfo&, const std::string&) override { Note("PostBind"); }

 private:
  void Note(const char* point) const {
    if (script_->calls != nullptr) script_->calls->push_back(name_ + "." + point);
  }

  const std::string name_;
  const std::shared_ptr<const Script> script_;
};

// Oldest first.
class AgeSort : public QueueSortPlugin {
 public:
  std::string_view Name() const override { return "AgeSort"; }
  bool Less(const QueuedPodInfo& a, const QueuedPodInfo& b) const override {
    return a.queued_at < b.queued_at;
  }
};

inline void Register(PluginRegistry* registry, const std::string& name,
                     std::shared_ptr<const Script> script = std::make_shared<Script>()) {
  registry->emplace(name, [name, script](const YamlNode&, const YamlDocument*) {
    return Result<std::shared_ptr<Plugin>>(std::make_shared<ScriptedPlugin>(name, script));
  });
}

inline void RegisterAgeSort(PluginRegistry* registry) {
  registry->emplace("AgeSort", [](const YamlNode&, const YamlDocument*) {
    return Result<std::shared_ptr<Plugin>>(std::make_shared<AgeSort>());
  });
}

}  // namespace leadline
