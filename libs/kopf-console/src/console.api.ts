// The routes below the path of the console, and the shapes of all answers. Answers are JSON but those of the page and of the stream; those
// with a status of 400 or more are a `ConsoleProblem`. All times are milliseconds since the epoch, all durations seconds.
//
//   GET  /                                            the page; as every path that is no file and not below api/, for deep links
//   GET  /assets/{file}                               scripts and styles, with their hash in the name
//   GET  /api/overview?operator=                      ConsoleOverview
//   GET  /api/now?operator=                           OperatorActivity
//   GET  /api/objects?operator=&…ObjectQuery          InspectedPage<InspectedObject>
//   GET  /api/objects/{resource}/{namespace|-}/{name} InspectedObjectDetails        resource: plural.group ("pods", "deployments.apps")
//   GET  /api/log?operator=&limit=                    ConsoleLog
//   GET  /api/handlers                                readonly InspectedHandler[]
//   GET  /api/watches                                 readonly InspectedWatch[]
//   GET  /api/coordination                            InspectedCoordination
//   GET  /api/webhooks                                readonly InspectedWebhook[]
//   GET  /api/memory                                  InspectedMemory
//   GET  /api/permissions                             readonly InspectedPermission[]
//   GET  /api/stream?topics=log,now,objects…          server-sent events, see ConsoleMessage; all topics if none is named
//   POST /api/actions/{action}                        ConsoleActionRequest -> ConsoleActionAnswer; header `x-kopf-console: 1`, content type application/json
//
// All of them take `?operator=` in applications with several operators.

export type * from 'nestjs-kopf/inspection';
export type * from './api/action.request.js';
export type * from './api/overview.answer.js';
export type * from './api/stream.message.js';
