import { EmbeddedKube } from '../embedded-kube.js';
import type { ControllerClient, ResourceId } from './controller.js';
import { MachineryClient } from './machinery.client.js';

const SECRETS = { group: '', plural: 'secrets' };
const FM = { fieldManager: 'me' };

type Call = (client: ControllerClient, name: any, namespace?: any, resource?: ResourceId) => unknown;

/** All public methods, so that a new one cannot be forgotten. */
const METHODS: Readonly<Record<string, Call | 'names no object'>> = {
  resources: 'names no object',
  resourceOf: 'names no object',
  list: 'names no object',
  create: 'names no object',
  watch: 'names no object',
  get: (client, name, namespace, resource = SECRETS) => client.get(resource, namespace, name),
  update: (client, name, namespace, resource = SECRETS) => client.update(resource, namespace, name, {}),
  patch: (client, name, namespace, resource = SECRETS) => client.patch(resource, namespace, name, {}),
  apply: (client, name, namespace, resource = SECRETS) => client.apply(resource, namespace, name, {}, FM),
  delete: (client, name, namespace, resource = SECRETS) => client.delete(resource, namespace, name),
};

const PRIVATE = ['constructor', 'locate', 'writer', 'tell', 'collection', 'find', 'require'];

const NAMED = Object.entries(METHODS).flatMap(([method, call]) =>
  call === 'names no object' ? [] : [{ method, call }],
);

describe('The client of the server in the process', () => {
  let kube: EmbeddedKube;

  beforeEach(async () => {
    kube = await EmbeddedKube.start({ port: false });
    for (const name of ['a', 'b']) await kube.client.create(SECRETS, 'default', { metadata: { name } });
  });
  afterEach(() => kube.stop());

  it('should have a row for each of its methods', () => {
    const methods = Object.getOwnPropertyNames(MachineryClient.prototype).filter((name) => !PRIVATE.includes(name));
    expect(methods.sort()).toEqual(Object.keys(METHODS).sort());
  });

  it.each(NAMED)('should refuse names that are none in $method()', async ({ method, call }) => {
    for (const name of ['', ' ', undefined, null, 5, '.', '..', 'a/b', 'a?b', 'a%2Fb']) {
      await expect((async () => call(kube.client, name, 'default'))(), String(name)).rejects.toThrow(
        `ControllerClient.${method}(): the argument name must name one object`,
      );
    }
    expect(kube.client.list(SECRETS, 'default')).toHaveLength(2);
  });

  it.each(NAMED.filter(({ method }) => method !== 'get'))(
    'should refuse an object of no namespace in $method()',
    async ({ method, call }) => {
      for (const namespace of ['', ' ', undefined]) {
        await expect((async () => call(kube.client, 'a', namespace))()).rejects.toThrow(
          `ControllerClient.${method}(): Secret a needs a namespace.`,
        );
      }
    },
  );
});
