// kube-common: the tools that all packages need, bundled into each of them. Time and randomness are injected, so that operators and
// API servers run on virtual time and reproducible randomness.
// May import: nothing of the other packages, and nothing of NestJS.

export { detach } from './async.boundary.js';
export { SystemClock, type Clock, type ClockTimer } from './clock.js';
export { hasLongInteger, parseJson, stringifyJson } from './exact-json.js';
export { groupBy } from './group-by.js';
export { applyMergePatch, deepCopy, deepEqual, getKey, isMap, serialized, setKey, type JsonMap } from './json.js';
export type { KubeRequest, KubeResponse, KubeTransport } from './kube.transport.js';
export { SeededRandom, SystemRandom, type Random } from './random.js';
export {
  cutLine,
  cutStoredMessage,
  errorStack,
  errorText,
  escapeControls,
  escapeStack,
  joinWords,
  withErrorText,
} from './texts.js';
export { DueQueue, TimerHeap, type DueItem, type HeapTimer } from './timer.heap.js';
export { formatTimeSpan, formatTimestamp, parseTimestamp } from './timestamps.js';
export {
  Deferred,
  isThenable,
  rejectPromise,
  settlesAtOnce,
  Signal,
  sleep,
  unlessAborted,
  untilAborted,
  Waiters,
  WaitingQueue,
} from './waiting.js';
