/** A class of a typed API of `@kubernetes/client-node`, such as `CoreV1Api`: all that it is made of is a configuration. */
export type KubeApiClass<Api extends object = object> = new (configuration: any) => Api;
