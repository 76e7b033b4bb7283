#include "filter_run.h"

#include "timed.h"

namespace leadline {
namespace {

template <typename T>
std::vector<T*> Without(const std::vector<T*>& plugins, const CycleState& state) {
  std::vector<T*> rest;
  for (T* plugin : plugins) {
    if (state.skipped_filters.count(plugin->Name()) == 0) rest.push_back(plugin);
  }
  return rest;
}

// How many of the plugins that are left come before the first one that is not NodeLocal. That one
// counts even where it is switched off: for another Pod of the class it may not be.
std::size_t LeadingLocal(const std::vector<FilterPlugin*>& all,
                         const std::vector<FilterPlugin*>& left) {
  std::size_t count = 0;
  for (FilterPlugin* plugin : all) {
    if (dynamic_cast<const NodeLocal*>(plugin) == nullptr) break;
    if (count < left.size() && left[count] == plugin) ++count;
  }
  return count;
}

bool YieldsTo(const PodInfo& pod, const PodInfo& nominated) {
  return nominated.pod->Priority() >= pod.pod->Priority() && nominated.uid() != pod.uid();
}

Status Failed(std::string_view step, const Plugin& plugin, const Status& status) {
  return Status(Status::Code::kError, fmt::format("running {} on PreFilter plugin \"{}\": {}", step,
                                                  plugin.Name(), status.Message()));
}

}  // namespace

FilterRun::FilterRun(const std::vector<PreFilterPlugin*>& pre_filters,
                     const std::vector<FilterPlugin*>& filters, const CycleState& state,
                     const Nominator* nominator, EquivalenceClass* alike)
    : pre_filters_(Without(pre_filters, state)),
      filters_(Without(filters, state)),
      calls_(filters_.size()),
      alike_(alike),
      local_(alike == nullptr ? 0 : LeadingLocal(filters, filters_)),
      nominator_(nominator) {
  if (nominator_ != nullptr) nominations_ = nominator_->Get();
  if (nominations_ && nominations_->empty()) nominations_.reset();
}

Status FilterRun::AddPod(CycleState& state, const PodInfo& pod,
                         const std::shared_ptr<const PodInfo>& added, NodeInfo& node) {
  node.AddPod(added);
  for (PreFilterPlugin* plugin : pre_filters_) {
    const Status status = plugin->AddPod(state, pod, *added, node);
    if (!status.ok()) return Failed("AddPod", *plugin, status);
  }
  return {};
}

Status FilterRun::RemovePod(CycleState& state, const PodInfo& pod,
                            const std::shared_ptr<const PodInfo>& removed, NodeInfo& node) {
  node.RemovePod(removed->uid());
  for (PreFilterPlugin* plugin : pre_filters_) {
    const Status status = plugin->RemovePod(state, pod, *removed, node);
    if (!status.ok()) return Failed("RemovePod", *plugin, status);
  }
  return {};
}

// It has to fit whether those who are nominated to the node come or not: they take room, and they
// may be what the Pod wants to be near to.
Status FilterRun::Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) {
  if (nominations_) {
    Status status = JudgeWithNominated(state, pod, node);
    if (!status.ok()) return status;
  }
  return JudgeAll(state, pod, node);
}

Status FilterRun::FilterAt(std::size_t place, const CycleState& state, const PodInfo& pod,
                           const NodeInfo& node) {
  if (local_ == 0 || sampler_ != nullptr || nominations_) return Filter(state, pod, node);
  if (const Status* kept = alike_->verdicts.Find(place)) {
    if (!kept->ok()) return *kept;
  } else {
    Status status = Judge(state, pod, node, 0, local_);
    if (status.code() != Status::Code::kError) alike_->verdicts.Keep(place, status);
    if (!status.ok()) return status;
  }
  return Judge(state, pod, node, local_, filters_.size());
}

std::string FilterRun::NominatedNode(const PodInfo& pod) const {
  return nominator_ == nullptr ? std::string() : nominator_->NodeOf(pod.uid());
}

// Success when nobody to yield to is nominated to the node.
Status FilterRun::JudgeWithNominated(const CycleState& state, const PodInfo& pod,
                                     const NodeInfo& node) {
  const auto nominated = nominations_->find(node.name());
  if (nominated == nominations_->end()) return {};
  std::unique_ptr<NodeInfo> crowded;
  std::unique_ptr<CycleState> crowded_state;
  for (const auto& other : nominated->second) {
    if (!YieldsTo(pod, *other)) continue;
    if (!crowded) {
      crowded = std::make_unique<NodeInfo>(node);
      crowded_state = std::make_unique<CycleState>(state);
    }
    Status added = AddPod(*crowded_state, pod, other, *crowded);
    if (!added.ok()) return added;
  }
  return crowded ? JudgeAll(*crowded_state, pod, *crowded) : Status();
}

// The first refusal counts.
Status FilterRun::Judge(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                        std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    ++calls_[i];
    Status status = CallPlugin(sampler_, "Filter", *filters_[i],
                               [&] { return filters_[i]->Filter(state, pod, node); });
    if (!status.ok()) return Said(*filters_[i], "running \"{}\" filter plugin", std::move(status));
  }
  return {};
}

}  // namespace leadline
