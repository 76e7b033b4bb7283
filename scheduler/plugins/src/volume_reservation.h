#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "leadline/plugins/volume_binder.h"

namespace leadline {

// What was promised to one Pod. The steps of writing it are the bindings, then the provisions.
struct VolumeBinder::Reservation {
  struct Binding {
    Volume volume;  // with the claim in it
    Claim claim;
    std::string version;  // that must be seen: the resourceVersion after writing
  };
  struct Provision {
    Claim claim;  // with the node in it
    std::string version;
  };

  std::shared_ptr<const Pod> pod;
  std::shared_ptr<const Node> node;
  std::vector<Binding> bindings;
  std::vector<Provision> provisions;
  std::atomic<std::size_t> written = 0;  // so many steps

  std::size_t steps() const { return bindings.size() + provisions.size(); }
  std::string& version(std::size_t step) {
    return step < bindings.size() ? bindings[step].version
                                  : provisions[step - bindings.size()].version;
  }
};

// Whether the volume still has to be written for the claim, who chose it included.
bool MustKeep(const PersistentVolume& volume, const PersistentVolumeClaim& claim);
// As it is to be.
std::shared_ptr<const PersistentVolume> Keep(const PersistentVolume& volume,
                                             const PersistentVolumeClaim& claim);

// Where the bindings of `reservation` stand. Nothing: wait on. kError: in vain. `node` is null when
// it is gone.
std::optional<Status> CheckBindings(const VolumeBinder::Reservation& reservation, const Node* node,
                                    const Listers& listers);

}  // namespace leadline
