import { Inject } from '@nestjs/common';
import type { KubeApiClass } from '../client/api/kube-api-class.interface.js';

const INJECTED_APIS = 'nestjs-kopf:injected-apis';
const TOKEN = 'nestjs-kopf:api-token';

/**
 * The injection token of a typed API, to replace it in tests.
 *
 * @example
 * Test.createTestingModule(…).overrideProvider(kubeApiToken(CoreV1Api)).useValue({ listNode: async () => ({ items: [] }) })
 */
export function kubeApiToken(type: KubeApiClass): symbol {
  const known = Reflect.getOwnMetadata(TOKEN, type) as symbol | undefined;
  if (known) return known;
  const token = Symbol(`KopfKubeApi:${type.name}`);
  Reflect.defineMetadata(TOKEN, token, type);
  return token;
}

/** The classes that {@link InjectKubeApi} was given so far. */
export function injectedApis(): readonly KubeApiClass[] {
  return (Reflect.getMetadata(INJECTED_APIS, InjectKubeApi) as readonly KubeApiClass[] | undefined) ?? [];
}

/**
 * Injects a typed API of `@kubernetes/client-node` into a provider or a controller. Its requests go over the operator's own
 * connections, with its credentials and its retries.
 *
 * Its methods reject with an `ApiException` of that package if the API server refuses the request, with a `ConnectionError`
 * if there is no answer, and with a `LoginError` if there are no credentials.
 *
 * @example
 * constructor(@InjectKubeApi(CoreV1Api) private readonly core: CoreV1Api) {}
 */
export function InjectKubeApi(type: KubeApiClass): ParameterDecorator & PropertyDecorator {
  Reflect.defineMetadata(INJECTED_APIS, [...new Set([...injectedApis(), type])], InjectKubeApi);
  return Inject(kubeApiToken(type));
}
