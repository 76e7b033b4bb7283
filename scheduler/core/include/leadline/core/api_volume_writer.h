// What binding volumes writes, written to the real API server.
#pragma once

#include "leadline/framework/volume_writer.h"
#include "leadline/kubernetes/api_client.h"

namespace leadline {

// By merge patches that carry the object's resourceVersion: whoever else wrote it wins. After a
// lost answer the patch is sent again and may find its own work, a kConflict; the next attempt to
// schedule the Pod sees that. `api` must outlive it.
class ApiVolumeWriter : public VolumeWriter {
 public:
  explicit ApiVolumeWriter(ApiClient& api) : api_(api) {}

  void KeepVolume(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
                  Done done) override;
  void SelectNode(const PersistentVolumeClaim& claim, const std::string& node, Done done) override;

 private:
  ApiClient& api_;
};

}  // namespace leadline
