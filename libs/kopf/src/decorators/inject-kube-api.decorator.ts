import { Inject } from '@nestjs/common';
import type { KubeApiClass } from '../client/api/typed.api.factory.js';

const TOKEN = 'nestjs-kopf:api-token';

/**
 * The injection token of a typed API, which `KopfModule.forFeature()` provides: for factories, and to replace the API in tests.
 *
 * @example
 * Test.createTestingModule(…).overrideProvider(getKubeApiToken(CoreV1Api)).useValue({ listNode: async () => ({ items: [] }) })
 */
export function getKubeApiToken(type: KubeApiClass): symbol {
  // Classes are told apart by themselves, not by their names, which two versions of the official client share.
  const known = Reflect.getOwnMetadata(TOKEN, type) as symbol | undefined;
  if (known) return known;
  const token = Symbol(`KopfKubeApi:${type.name}`);
  Reflect.defineMetadata(TOKEN, token, type);
  return token;
}

/**
 * Injects a typed API of `@kubernetes/client-node` into a provider or a controller of a module that imports it. Its requests go over
 * the operator's own connections, with its credentials and its retries.
 *
 * Its methods reject with an `ApiException` of that package if the API server refuses the request, with a `ConnectionError`
 * if there is no answer, and with a `LoginError` if there are no credentials.
 *
 * @example
 * @Module({ imports: [KopfModule.forFeature({ apis: [CoreV1Api] })], providers: [NodesService] })
 * export class NodesModule {}
 *
 * constructor(@InjectKubeApi(CoreV1Api) private readonly core: CoreV1Api) {}
 */
export function InjectKubeApi(type: KubeApiClass): ParameterDecorator & PropertyDecorator {
  return Inject(getKubeApiToken(type));
}
