// Assembles a Framework, refusing wrong combinations by name.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "equivalence_cache.h"
#include "leadline/framework/framework.h"

namespace leadline {
namespace {

Error Wrong(const std::string& profile, std::string text) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("profile \"{}\": {}", profile, text));
}

// Every plugin that the profile names anywhere and does not switch off everywhere.
std::set<std::string> NamesOf(const ProfileConfig& profile) {
  std::set<std::string> names, disabled;
  for (const std::string& name : profile.multi_point.disabled) disabled.insert(name);
  for (const EnabledPlugin& plugin : profile.default_plugins) {
    if (disabled.count("*") == 0 && disabled.count(plugin.name) == 0) names.insert(plugin.name);
  }
  for (const EnabledPlugin& plugin : profile.multi_point.enabled) names.insert(plugin.name);
  for (const auto& [point, set] : profile.points) {
    for (const EnabledPlugin& plugin : set.enabled) names.insert(plugin.name);
  }
  return names;
}

// A set with the same name twice, or empty.
std::string FindTwice(const PluginSet& set) {
  std::set<std::string> seen;
  for (const EnabledPlugin& plugin : set.enabled) {
    if (!seen.insert(plugin.name).second) return plugin.name;
  }
  return {};
}

}  // namespace

Framework::Framework() : equivalence_(std::make_unique<EquivalenceCache>()) {}
Framework::~Framework() = default;

Result<std::unique_ptr<Framework>> Framework::Make(const ProfileConfig& profile,
                                                   const PluginRegistry& registry,
                                                   const YamlDocument* document) {
  std::unique_ptr<Framework> framework(new Framework());
  framework->profile_ = profile.scheduler_name;
  std::vector<const PluginSet*> sets = {&profile.multi_point};
  for (const auto& [point, set] : profile.points) sets.push_back(&set);
  for (const PluginSet* set : sets) {
    const std::string twice = FindTwice(*set);
    if (!twice.empty()) {
      return Wrong(profile.scheduler_name, fmt::format("plugin {} is enabled twice", twice));
    }
  }
  if (auto made = framework->Instantiate(profile, registry, document); !made) return made.error();
  if (auto assigned = framework->Assign(profile); !assigned) return assigned.error();
  return framework;
}

Result<void> Framework::Instantiate(const ProfileConfig& profile, const PluginRegistry& registry,
                                    const YamlDocument* document) {
  const std::set<std::string> names = NamesOf(profile);
  for (const auto& [name, args] : profile.args) {
    if (registry.count(name) == 0) {
      return Wrong(profile_, fmt::format("pluginConfig names an unknown plugin, {}", name));
    }
  }
  for (const std::string& name : names) {
    const auto factory = registry.find(name);
    if (factory == registry.end()) {
      std::vector<std::string> known;
      for (const auto& entry : registry) known.push_back(entry.first);
      return Wrong(profile_,
                   fmt::format("unknown plugin {}; there are {}", name, fmt::join(known, ", ")));
    }
    const auto args = profile.args.find(name);
    auto plugin =
        factory->second(args == profile.args.end() ? YamlNode::Absent() : args->second, document);
    if (!plugin) return plugin.error().WithContext(fmt::format("plugin {}", name));
    plugins_.emplace(name, std::move(*plugin));
  }
  return {};
}

Result<void> Framework::Assign(const ProfileConfig& profile) {
  std::int64_t total_weight = 0;
  for (int i = 0; i < kExtensionPoints; ++i) {
    const auto point = static_cast<ExtensionPoint>(i);
    for (const EnabledPlugin& enabled : ResolvePlugins(profile, point, plugins_)) {
      if (enabled.weight < 0) {
        return Wrong(profile_, fmt::format("plugin {}: the weight is negative", enabled.name));
      }
      if (auto assigned = AssignOne(point, enabled); !assigned) return assigned.error();
    }
  }
  for (const WeightedScore& score : score_) {
    total_weight += score.weight * kMaxNodeScore;
    if (total_weight > std::numeric_limits<int>::max()) {
      return Wrong(profile_, "the weights of the Score plugins add up to too much");
    }
  }
  if (auto prepared = CheckPrepared(); !prepared) return prepared.error();
  if (queue_sort_ == nullptr) return Wrong(profile_, "no QueueSort plugin is enabled");
  if (bind_.empty()) return Wrong(profile_, "no Bind plugin is enabled");
  return {};
}

// A plugin that prepares its work at another point would fail every Pod without that.
Result<void> Framework::CheckPrepared() const {
  const auto check = [this](const Plugin* plugin, const auto& before, ExtensionPoint point,
                            ExtensionPoint first) -> Result<void> {
    const auto is = [plugin](const Plugin* other) { return other->Name() == plugin->Name(); };
    if (!Implements(*plugin, first) || std::any_of(before.begin(), before.end(), is)) return {};
    return Wrong(profile_,
                 fmt::format("plugin {} is enabled at {} but not at {}, where it prepares for that",
                             plugin->Name(), ExtensionPointKey(point), ExtensionPointKey(first)));
  };
  for (const FilterPlugin* plugin : filter_) {
    auto ok = check(plugin, pre_filter_, ExtensionPoint::kFilter, ExtensionPoint::kPreFilter);
    if (!ok) return ok;
  }
  for (const WeightedScore& score : score_) {
    auto ok = check(score.plugin, pre_score_, ExtensionPoint::kScore, ExtensionPoint::kPreScore);
    if (!ok) return ok;
  }
  return {};
}

Result<void> Framework::CheckTogether(const std::vector<std::unique_ptr<Framework>>& profiles) {
  std::set<std::string> names;
  for (const auto& profile : profiles) {
    const Framework& first = *profiles.front();
    if (!names.insert(profile->profile_).second) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("two profiles have the name \"{}\"", profile->profile_));
    }
    if (profile->queue_sort_->Name() != first.queue_sort_->Name()) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("profile \"{}\" orders the queue by {}, profile \"{}\" by {}; the "
                               "queue is one",
                               first.profile_, first.queue_sort_->Name(), profile->profile_,
                               profile->queue_sort_->Name()));
    }
  }
  return {};
}

Result<void> Framework::AssignOne(ExtensionPoint point, const EnabledPlugin& enabled) {
  Plugin* plugin = plugins_.find(enabled.name)->second.get();
  if (!Implements(*plugin, point)) {
    return Wrong(profile_, fmt::format("plugin {} is enabled at {}, which it does not implement",
                                       enabled.name, ExtensionPointKey(point)));
  }
  const auto add = [&]<typename T>(std::vector<T*>& list) {
    list.push_back(dynamic_cast<T*>(plugin));
  };
  switch (point) {
    case ExtensionPoint::kPreEnqueue:
      add(pre_enqueue_);
      break;
    case ExtensionPoint::kQueueSort:
      if (queue_sort_ != nullptr) {
        return Wrong(profile_, fmt::format("two QueueSort plugins are enabled, {} and {}",
                                           queue_sort_->Name(), enabled.name));
      }
      queue_sort_ = dynamic_cast<QueueSortPlugin*>(plugin);
      break;
    case ExtensionPoint::kPreFilter:
      add(pre_filter_);
      break;
    case ExtensionPoint::kFilter:
      add(filter_);
      break;
    case ExtensionPoint::kPostFilter:
      add(post_filter_);
      break;
    case ExtensionPoint::kPreScore:
      add(pre_score_);
      break;
    case ExtensionPoint::kScore:
      score_.push_back({dynamic_cast<ScorePlugin*>(plugin), std::max(1, enabled.weight),
                        dynamic_cast<NodeLocal*>(plugin) != nullptr});
      break;
    case ExtensionPoint::kReserve:
      add(reserve_);
      break;
    case ExtensionPoint::kPermit:
      add(permit_);
      break;
    case ExtensionPoint::kPreBind:
      add(pre_bind_);
      break;
    case ExtensionPoint::kBind:
      add(bind_);
      break;
    case ExtensionPoint::kPostBind:
      add(post_bind_);
      break;
  }
  return {};
}

}  // namespace leadline
