// The shapes of the answers of an inspection. All times are milliseconds since the epoch, all durations seconds, unless their documentation says otherwise.

export type * from './shapes/inspected-object.details.js';
export type * from './shapes/inspected.coordination.js';
export type * from './shapes/inspected.handler.js';
export type * from './shapes/inspected.memory.js';
export type * from './shapes/inspected.object.js';
export type * from './shapes/inspected.permission.js';
export type * from './shapes/inspected.watch.js';
export type * from './shapes/inspected.webhook.js';
export type * from './shapes/operator.activity.js';
export type * from './shapes/operator.overview.js';
