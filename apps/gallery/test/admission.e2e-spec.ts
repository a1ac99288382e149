import { EmbeddedKube } from 'embedded-kube';
import { ClusterUser, customResource, DEFINITIONS } from '../../../test/support/clusters/cluster.user.js';
import { eventually } from '../../../test/support/time/eventually.js';
import { LocalOperator } from '../../../test/support/operators/local.operator.js';
import { AdmissionOperator } from '../src/admission/admission.operator.js';

const OBJECTS = '/apis/kopf.dev/v1/namespaces/default/kopfexamples';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

// In real time, as certificates are verified by it.
describe('The gallery of admission', () => {
  let kube: EmbeddedKube;
  let user: ClusterUser;

  beforeEach(async () => {
    kube = await EmbeddedKube.start();
    onTestFinished(() => kube.stop());
    user = new ClusterUser(kube.transport());
    await user.create(DEFINITIONS, customResource());
    const credentials = { server: kube.url, transport: kube.transport() };
    const operator = await LocalOperator.start(AdmissionOperator, { credentials });
    onTestFinished(() => operator.stop());
    for (const kind of ['validating', 'mutating']) {
      await eventually('the webhooks are there', async () => {
        const path = `${CONFIGURATIONS}/${kind}webhookconfigurations/gallery.kopf.dev`;
        const configuration: any = await user.get(path);
        return configuration?.webhooks?.length > 0;
      });
    }
  });

  function create(spec: object, metadata: object = {}) {
    const object = { apiVersion: 'kopf.dev/v1', kind: 'KopfExample', metadata: { name: 'a', ...metadata }, spec };
    return user.create(OBJECTS, object);
  }

  it('should set defaults', async () => {
    expect((await create({})).spec).toEqual({ size: 1 });
  });

  it('should refuse what is wrong', async () => {
    await expect(create({ size: 0 })).rejects.toThrow('The size must be positive, not 0.');
    await create({ size: 101, colour: 'green' });
    const change = (spec: object) => user.patch(`${OBJECTS}/a`, { spec });
    await expect(change({ colour: 'red' })).rejects.toThrow('The colour cannot be changed.');
    expect((await change({ size: 2 })).spec).toEqual({ size: 2, colour: 'green' });
  });

  it('should keep what is protected', async () => {
    await create({}, { labels: { protected: 'yes' } });
    await expect(user.delete(`${OBJECTS}/a`)).rejects.toThrow('a is protected.');
    await user.patch(`${OBJECTS}/a`, { metadata: { labels: { protected: null } } });
    await user.delete(`${OBJECTS}/a`);
    expect(await user.get(`${OBJECTS}/a`)).toBeUndefined();
  });
});
