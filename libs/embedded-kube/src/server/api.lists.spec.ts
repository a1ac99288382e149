import { DEFINITIONS_PATH, Harness, WIDGETS, WIDGETS_PATH, widget } from '../harness.spec-support.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let kube: Harness;
beforeEach(async () => {
  kube = await Harness.start();
  await kube.post(DEFINITIONS_PATH, WIDGETS);
});
afterEach(() => kube.kube.stop());

describe('listing', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await kube.post(WIDGETS_PATH, widget(name, { size: '1G' }, { labels: { odd: String('ace'.includes(name)) } }));
    }
  });
  const names = ({ body }: { body: { items: { metadata: { name: string } }[] } }): string[] =>
    body.items.map(({ metadata }) => metadata.name);

  it('should give pages at one version, whatever happens meanwhile', async () => {
    const first = await kube.get(`${WIDGETS_PATH}?limit=2`);
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 3, resourceVersion: kube.kube.resourceVersion });
    await kube.delete(`${WIDGETS_PATH}/c`);
    await kube.post(WIDGETS_PATH, widget('ca'));
    await kube.patch(`${WIDGETS_PATH}/d`, { spec: { size: '2G' } });
    const second = await kube.get(`${WIDGETS_PATH}?limit=2&continue=${first.body.metadata.continue}`);
    expect(names(second)).toEqual(['c', 'd']);
    expect(second.body.items[1].spec.size).toBe('1G');
    const third = await kube.get(`${WIDGETS_PATH}?limit=2&continue=${second.body.metadata.continue}`);
    expect(names(third)).toEqual(['e']);
    expect(third.body.metadata).toEqual({ continue: '', resourceVersion: first.body.metadata.resourceVersion });
  });

  it('should answer 410 with a way on once the version is gone', async () => {
    const first = await kube.get(`${WIDGETS_PATH}?limit=2`);
    await kube.delete(`${WIDGETS_PATH}/c`);
    kube.kube.expireHistory();
    const { status, body } = await kube.get(`${WIDGETS_PATH}?limit=2&continue=${first.body.metadata.continue}`);
    expect(status).toBe(410);
    expect(body.reason).toBe('Expired');
    expect(names(await kube.get(`${WIDGETS_PATH}?continue=${body.metadata.continue}`))).toEqual(['d', 'e']);
  });

  it('should select by labels and by name', async () => {
    expect(names(await kube.get(`${WIDGETS_PATH}?labelSelector=odd%3Dtrue`))).toEqual(['a', 'c', 'e']);
    expect(names(await kube.get(`${WIDGETS_PATH}?fieldSelector=metadata.name%3Db`))).toEqual(['b']);
    expect(names(await kube.get('/apis/example.com/v1/widgets?fieldSelector=metadata.namespace%3Dother'))).toEqual([]);
  });

  it('should list an exact version', async () => {
    const version = kube.kube.resourceVersion;
    await kube.delete(`${WIDGETS_PATH}/a`);
    expect(names(await kube.get(`${WIDGETS_PATH}?resourceVersion=${version}&resourceVersionMatch=Exact`))).toHaveLength(
      5,
    );
    expect(names(await kube.get(`${WIDGETS_PATH}?resourceVersion=${version}`))).toHaveLength(4);
  });

  it('should leave the kind out of the items of built-in lists', async () => {
    await kube.post(MAPS, { metadata: { name: 'm' }, data: { a: 'b' } });
    const { body } = await kube.get(MAPS);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [{ metadata: { name: 'm' } }] });
    expect(Object.keys(body.items[0])).toEqual(['metadata', 'data']);
  });

  it('should print a table if asked for', async () => {
    const { body } = await kube.get(WIDGETS_PATH, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    });
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Size']);
    expect(body.rows[0].cells).toEqual(['a', '1G']);
  });

  it('should answer in YAML if asked for', async () => {
    const { text } = await kube.get(`${WIDGETS_PATH}/a`, { accept: 'application/yaml' });
    expect(text).toMatch(/^apiVersion: example.com\/v1\nkind: Widget\n/);
  });
});
