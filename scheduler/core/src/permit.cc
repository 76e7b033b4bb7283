// A Pod that Permit plugins hold: the scheduling thread goes on without it.
#include "cycle.h"
#include "leadline/core/scheduler.h"

namespace leadline {

void Scheduler::WaitOnPermit(const CyclePtr& cycle, const PermitWaits& waits) {
  cycle->waits_since = clock_.SteadyNow();
  options_.waiting_pods->Add(cycle->pod, waits,
                             [this, cycle](const Status& status) { OnPermitted(cycle, status); });
  // Deleted before it was held: nobody else would end its wait.
  const std::string& uid = cycle->pod->uid();
  if (!queue_.Contains(uid)) options_.waiting_pods->Reject(uid, "", "removed");
}

void Scheduler::OnPermitted(const CyclePtr& cycle, const Status& status) {
  const std::chrono::duration<double> waited = clock_.SteadyNow() - cycle->waits_since;
  metrics_.OnPermitWait(StatusCodeName(status.code()), waited.count());
  if (status.ok()) return BindPod(cycle);
  // At the end of the process nothing is said about the Pod: the next one tries it anew.
  if (status.code() == Status::Code::kPending) {
    UndoReservation(cycle);
    queue_.AddUnschedulable(cycle->entry, {});
  } else {
    FailPermit(cycle, status);
  }
  BindingEnded();
}

}  // namespace leadline
