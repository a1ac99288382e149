import { Harness } from '../harness.spec-support.js';
import { indentJson, wantsIndentation } from './indented.json.js';

describe('wantsIndentation', () => {
  it.each<[string, string | undefined, boolean]>([
    ['/api/v1/pods', undefined, false],
    ['/api/v1/pods', 'kubectl/v1.36.3', false],
    ['/api/v1/pods', 'curl/8.5.0', true],
    ['/api/v1/pods', 'Wget/1.21', true],
    ['/api/v1/pods', 'Mozilla/5.0 (X11)', true],
    ['/api/v1/pods?pretty=true', 'kubectl/v1.36.3', true],
    ['/api/v1/pods?pretty=1', undefined, true],
    ['/api/v1/pods?pretty=false', 'curl/8.5.0', false],
    ['/api/v1/pods?pretty=x', 'curl/8.5.0', false],
    ['/api/v1/pods?pretty=', 'curl/8.5.0', true],
    ['/api/v1/pods?watch=1', 'curl/8.5.0', false],
    ['/openapi/v3', 'curl/8.5.0', false],
  ])('should decide for %s of %s: %s', (path, agent, expected) => {
    expect(wantsIndentation({ path, headers: agent === undefined ? {} : { 'user-agent': agent } })).toBe(expected);
  });
});

describe('indentJson', () => {
  it.each<[string, unknown]>([
    ['a text', 'a'],
    ['nothing', null],
    ['empty containers', { a: {}, b: [], c: [{}, []] }],
    ['nested ones', { a: [1, 'x', { b: [true, null] }], c: { d: { e: -1.5e-7 } } }],
    ['texts with what JSON consists of', { 'a:b,{': '"}],\\"\\\\', '': '  ' }],
  ])('should indent %s as JSON.stringify does', (_, value) => {
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(indentJson(JSON.stringify(value, null, 4))).toBe(JSON.stringify(value, null, 2));
  });

  it('should keep integers of 64 bits', () => {
    expect(indentJson('{"a":9007199254740993}')).toBe('{\n  "a": 9007199254740993\n}');
  });
});

describe('an answer that people read', () => {
  const CURL = { 'user-agent': 'curl/8.5.0' };

  it.each([
    ['an object', '/api/v1/namespaces/default'],
    ['a list', '/api/v1/namespaces'],
    ['an error', '/api/v1/namespaces/missing'],
    ['what is served', '/apis/apps/v1'],
  ])('should be indented: %s', async (_, path) => {
    const harness = await Harness.start();
    const { text } = await harness.get(path, CURL);
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
    expect((await harness.get(path)).text).not.toContain('\n  ');
    await harness.kube.stop();
  });

  it('should be indented also where it is long enough to be sent in chunks', async () => {
    const harness = await Harness.start();
    for (let index = 0; index < 600; index++) {
      await harness.post('/api/v1/namespaces/default/configmaps', { metadata: { name: `c-${index}` } });
    }
    const { text } = await harness.get('/api/v1/namespaces/default/configmaps?pretty=true');
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
    await harness.kube.stop();
  });
});
