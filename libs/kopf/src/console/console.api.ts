// The routes below the path of the console, and the shapes of all answers. Answers are JSON but those of the page and of the stream; those
// with a status of 400 or more are a `ConsoleProblem`. All times are milliseconds since the epoch, all durations seconds.
//
//   GET  /                                            the page; as every path that is no file and not below api/, for deep links
//   GET  /assets/{file}                               scripts and styles, with their hash in the name
//   GET  /api/overview?operator=                      ConsoleOverview
//   GET  /api/now?operator=                           ConsoleNow
//   GET  /api/objects?operator=&…ObjectQuery          ConsolePage<ConsoleObject>
//   GET  /api/objects/{resource}/{namespace|-}/{name} ConsoleObjectDetails        resource: plural.group ("pods", "deployments.apps")
//   GET  /api/log?operator=&limit=                    ConsoleLog
//   GET  /api/handlers                                readonly ConsoleHandler[]
//   GET  /api/watches                                 readonly ConsoleWatch[]
//   GET  /api/coordination                            ConsoleCoordination
//   GET  /api/webhooks                                readonly ConsoleWebhook[]
//   GET  /api/memory                                  ConsoleMemory
//   GET  /api/permissions                             readonly ConsolePermission[]
//   GET  /api/stream?topics=log,now,objects…          server-sent events, see ConsoleMessage; all topics if none is named
//   POST /api/actions/{action}                        ConsoleActionRequest -> ConsoleActionAnswer; header `x-kopf-console: 1`, content type application/json
//
// All of them take `?operator=` in applications with several operators.

export type * from './api/action.request.js';
export type * from '../inspection/shapes/inspected.coordination.js';
export type * from '../inspection/shapes/inspected.handler.js';
export type * from '../inspection/shapes/inspected.memory.js';
export type * from '../inspection/shapes/operator.activity.js';
export type * from '../inspection/shapes/inspected-object.details.js';
export type * from '../inspection/shapes/inspected.object.js';
export type * from '../inspection/shapes/operator.overview.js';
export type * from '../inspection/shapes/inspected.permission.js';
export type * from './api/stream.message.js';
export type * from '../inspection/shapes/inspected.watch.js';
export type * from '../inspection/shapes/inspected.webhook.js';
