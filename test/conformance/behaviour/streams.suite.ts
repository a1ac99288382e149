import { eventually } from '../../support/time/eventually.js';
import type { ApiConversation } from './api.conversation.js';

const PODS = '/api/v1/namespaces/default/pods';

/** Declares the tests of what is said about pods whose containers are to be reached. */
export function describeStreams(api: () => ApiConversation): void {
  describe('streams of pods', () => {
    const create = async (names: readonly string[]): Promise<string> => {
      const name = api().name('pod');
      const containers = names.map((each) => ({ name: each, image: 'i' }));
      const spec = { containers, initContainers: [{ name: 'init', image: 'i' }] };
      await eventually('the service account is there', async () => {
        return (await api().post(PODS, { metadata: { name }, spec })).status === 201;
      });
      return name;
    };
    const rejection = async (path: string): Promise<[number, string, string]> => {
      const { status, body } = await api().get(`${PODS}/${path}`);
      return [status, body.reason, body.message];
    };

    it.each(['exec?command=ls&stdout=1', 'attach?stdout=1', 'log?follow=1'])(
      'should need a container for %s',
      async (path) => {
        const name = await create(['a', 'b']);
        const several = `a container name must be specified for pod ${name}, choose one of: [init a b]`;
        expect(await rejection(`${name}/${path}`)).toEqual([400, 'BadRequest', several]);
        const other = `container x is not valid for pod ${name}`;
        expect(await rejection(`${name}/${path}&container=x`)).toEqual([400, 'BadRequest', other]);
        expect(await rejection(`none/${path}`)).toEqual([404, 'NotFound', 'pods "none" not found']);
      },
    );

    it.each(['exec?command=ls&stdout=1', 'attach?stdout=1', 'portforward'])(
      'should need a node for %s',
      async (path) => {
        const name = await create(['a']);
        const message = `pod ${name} does not have a host assigned`;
        expect(await rejection(`${name}/${path}`)).toEqual([400, 'BadRequest', message]);
        const { body } = await api().send('POST', `${PODS}/${name}/${path}`);
        expect(body.message).toBe(message);
      },
    );

    it('should have no logs before there is a node, and refuse wrong limits', async () => {
      const name = await create(['a']);
      const { status, text } = await api().get(`${PODS}/${name}/log`);
      expect([status, text]).toEqual([204, '']);
      const problem = 'tailLines: Invalid value: -1: must be greater than or equal to 0';
      expect(await rejection(`${name}/log?tailLines=-1`)).toEqual([
        422,
        'Invalid',
        `PodLogOptions "${name}" is invalid: ${problem}`,
      ]);
    });

    it('should need what is to be reached', async () => {
      expect(await rejection('none/proxy/')).toEqual([404, 'NotFound', 'pods "none" not found']);
    });
  });
}
