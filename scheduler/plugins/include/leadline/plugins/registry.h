// The plugins that come with the program, under kube-scheduler's names where they do the same.
#pragma once

#include <memory>

#include "leadline/framework/listers.h"
#include "leadline/framework/registry.h"
#include "leadline/plugins/volume_binder.h"

namespace leadline {

// All of framework/profile.h's DefaultPlugins() but the binder of Pods. `listers` must outlive the
// plugins. `volume_binder` binds volumes to claims; null: one that writes nothing.
PluginRegistry BuiltInPlugins(const Listers& listers,
                              std::shared_ptr<VolumeBinder> volume_binder = nullptr);

}  // namespace leadline
