import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFINITIONS_PATH, Harness, WIDGETS, WIDGETS_PATH } from '../harness.spec-support.js';

const HEAD = '"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"one"}';
const FREE = '{"id":9007199254740993,"ids":[-9223372036854775808,1e-7]}';
const OBJECT = `{${HEAD},"spec":{"size":"1G","free":${FREE}}}`;
const ONE = `${WIDGETS_PATH}/one`;
const JOBS = '/apis/batch/v1/namespaces/default/jobs';

/** Integers that JavaScript's numbers cannot hold. What also a real server does with them is in `test/conformance/integers/integers.suite.ts`. */
describe('integers of 64 bits', () => {
  let kube: Harness;

  async function start(options: Parameters<typeof Harness.start>[0] = {}): Promise<Harness> {
    kube = await Harness.start(options);
    return kube;
  }

  afterEach(() => kube.kube.stop());

  it('should be in objects, lists, watches, and YAML to the digit', async () => {
    await start();
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    await kube.post(WIDGETS_PATH, OBJECT);
    expect((await kube.get(ONE)).text).toContain(`"free":${FREE}`);
    expect((await kube.get(WIDGETS_PATH)).text).toContain(`"free":${FREE}`);
    expect((await kube.get(ONE, { accept: 'application/yaml' })).text).toContain('id: 9007199254740993\n');
    const response = await kube.transport.request({
      method: 'GET',
      path: `${WIDGETS_PATH}?watch=true`,
      headers: {},
      streaming: true,
    });
    for await (const chunk of response.chunks()) {
      expect(Buffer.from(chunk).toString()).toContain(`"free":${FREE}`);
      break;
    }
    const yaml =
      'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: two}\nspec: {size: 1G, free: {id: 9007199254740993, old: -9007199254740993, float: 9007199254740993.5}}\n';
    const created = await kube.request('POST', WIDGETS_PATH, yaml, { 'content-type': 'application/yaml' });
    expect(created.text).toContain('"free":{"float":9007199254740994,"id":9007199254740993,"old":-9007199254740993}');
  });

  it('should be there after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'integers-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await start({ data: folder });
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    await kube.post(WIDGETS_PATH, OBJECT);
    await kube.kube.stop();
    await start({ data: folder });
    expect((await kube.get(ONE)).text).toContain(`"free":${FREE}`);
  });

  it('should be in reviews of webhooks in this process, and in their patches', async () => {
    const seen: unknown[] = [];
    const patch = Buffer.from('[{"op":"add","path":"/spec/free/next","value":9007199254740995}]').toString('base64');
    const { InProcessWebhooks } = await import('../admission/webhooks/transport/in-process-webhooks.js');
    const webhookTransport = new InProcessWebhooks({
      'https://hooks.example/mutate': ({ request }) => {
        seen.push(request.object.spec.free.id);
        const response = { uid: request.uid, allowed: true, patch, patchType: 'JSONPatch' };
        return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
      },
    });
    await start({ webhookTransport });
    await kube.post(DEFINITIONS_PATH, WIDGETS);
    await kube.post('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'hooks' },
      webhooks: [
        {
          name: 'mutate.hooks.example',
          clientConfig: { url: 'https://hooks.example/mutate' },
          rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE'] }],
          matchConditions: [{ name: 'exact', expression: 'object.spec.free.id == 9007199254740993' }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const { text } = await kube.post(WIDGETS_PATH, OBJECT);
    expect(seen).toEqual([9007199254740993n]);
    expect(text).toContain('"id":9007199254740993');
    expect(text).toContain('"next":9007199254740995');
  });

  it('should be accepted in fields of 64 bits of built-in kinds only', async () => {
    await start();
    const job = (name: string, field: string): string =>
      `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"${name}"},"spec":{${field},` +
      '"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}';
    const wide = await kube.post(JOBS, job('a', '"activeDeadlineSeconds":9007199254740993'));
    expect(wide.status).toBe(201);
    expect(wide.text).toContain('"activeDeadlineSeconds":9007199254740993');
    const narrow = await kube.post(JOBS, job('b', '"completions":9007199254740993'));
    expect(narrow.status).toBe(400);
    expect(narrow.text).toContain('json: cannot unmarshal number 9007199254740993 into Go struct field');
  });
});
