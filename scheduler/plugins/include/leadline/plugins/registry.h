// The plugins that come with the program, under kube-scheduler's names where they do the same.
#pragma once

#include "leadline/framework/listers.h"
#include "leadline/framework/registry.h"

namespace leadline {

// All of framework/profile.h's DefaultPlugins() but the binder. `listers` must outlive the plugins.
PluginRegistry BuiltInPlugins(const Listers& listers);

}  // namespace leadline
