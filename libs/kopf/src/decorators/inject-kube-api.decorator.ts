import { Inject } from '@nestjs/common';
import type { KubeApiClass } from '../client/api/typed.api.factory.js';
import { classTokenOf, DEFAULT_OPERATOR } from '../kopf.tokens.js';

/**
 * Returns the injection token of a typed API, which `KopfModule.forFeature()` provides: for factories, and to replace the API in tests.
 *
 * @example
 * Test.createTestingModule(…).overrideProvider(getKubeApiToken(CoreV1Api)).useValue({ listNode: async () => ({ items: [] }) })
 *
 * @param operator the name of the operator whose connections the requests use. @default the operator without a name
 */
export function getKubeApiToken(type: KubeApiClass, operator = DEFAULT_OPERATOR): symbol {
  const name = `KopfKubeApi:${type.name}`;
  return classTokenOf(type, operator === DEFAULT_OPERATOR ? name : `${name}:${operator}`);
}

/**
 * Injects a typed API of `@kubernetes/client-node` into a provider or a controller of a module that imports it. Its requests use the
 * operator's connections, credentials, and retries.
 *
 * Its methods reject with an `ApiException` of that package if the API server rejects the request, with a `ConnectionError` if there is no
 * answer, and with a `LoginError` if there are no credentials.
 *
 * @example
 * @Module({ imports: [KopfModule.forFeature({ apis: [CoreV1Api] })], providers: [NodesService] })
 * export class NodesModule {}
 *
 * constructor(@InjectKubeApi(CoreV1Api) private readonly core: CoreV1Api) {}
 *
 * @param operator the name of the operator whose connections the requests use, the same as for `forFeature()`. @default the operator
 * without a name
 */
export function InjectKubeApi(type: KubeApiClass, operator?: string): ParameterDecorator & PropertyDecorator {
  return Inject(getKubeApiToken(type, operator));
}
