// Events as the API takes them.
#pragma once

#include <string>

#include "leadline/kubernetes/event_recorder.h"

namespace leadline {

// One Event and its repeats.
struct EventSeries {
  Event event;
  std::string name;  // of the Event object
  SystemTime first_seen{};
  SystemTime last_seen{};
  SteadyTime last_steady{};
  int count = 0;       // seen
  int sent_count = 0;  // known to the API server; 0: not created
  bool busy = false;   // a request is under way
  bool queued = false;
};

// Equal for Events that are repeats of each other.
std::string SeriesKey(const Event& event);
// "/apis/events.k8s.io/v1/namespaces/NS/events"; objects of no namespace have theirs in "default".
std::string EventsPath(const Event& event, std::string_view name = {});
// The object, with its series from the second time on.
std::string EventJson(const EventSeries& series, const EventRecorderOptions& options);
// A merge patch of the series alone.
std::string SeriesPatchJson(const EventSeries& series);

}  // namespace leadline
