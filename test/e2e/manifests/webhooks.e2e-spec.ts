import { Injectable, Module } from '@nestjs/common';
import { loadAll } from 'js-yaml';
import { EmbeddedKube } from 'embedded-kube';
import {
  KopfAdmissionModule,
  KopfModule,
  Mutate,
  Validate,
  type KopfModuleOptions,
  type KubeObject,
} from 'nestjs-kopf';
import { WebhookAutoServer, WebhookNgrokTunnel, WebhookServer, type AdmissionServer } from 'nestjs-kopf/webhooks';
import { generateManifests, type ManifestOptions } from 'nestjs-kopf-cli';
import { readManifests } from '../../support/clusters/manifests.js';

@Injectable()
class PodOperator {
  @Validate('pods', { operations: ['CREATE'], labels: { app: 'web' } })
  checkImage() {}

  @Mutate('deployments.apps', { ignoreFailures: true, sideEffects: true })
  complete() {}
}

const CA = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
const server = new WebhookServer({ port: 9443, path: 'hooks', service: { name: 'hooks' }, secret: { name: 'tls' } });

function moduleWith(admission: KopfModuleOptions['admission'], ...imports: readonly any[]) {
  @Module({ imports: [...imports, KopfModule.forRoot({ enabled: false, admission })], providers: [PodOperator] })
  class AppModule {}
  return AppModule;
}

function generate(admission: KopfModuleOptions['admission'], options: Partial<ManifestOptions> = {}) {
  return generateManifests(moduleWith(admission), { name: 'pods', namespace: 'operators', ...options });
}

interface Configuration extends KubeObject {
  readonly webhooks: readonly any[];
}

describe('Webhooks of a server for development', () => {
  it.each([new WebhookAutoServer(), new WebhookNgrokTunnel()])('should be warned of', async (development) => {
    for (const admission of [{ server: development }, { server: development, managed: 'pods.example.com' }]) {
      const { objects, warnings } = await generate(admission);
      expect(objects).not.toHaveProperty(['webhooks.yaml']);
      expect(warnings).toEqual([
        expect.stringContaining(`The webhooks are served by ${development.constructor.name}, which is for development`),
      ]);
    }
  });
});

describe('Webhook configurations that the operator does not manage', () => {
  it('should be generated as the operator would write them, with the service', async () => {
    const { objects, warnings } = await generate({ server }, { webhooks: { caBundle: CA } });
    expect(warnings).toEqual([]);
    const [validating, mutating, ...others] = objects['webhooks.yaml'] as readonly Configuration[];
    expect(others).toEqual([]);
    expect(validating).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'pods' },
      webhooks: [
        {
          name: 'checkimage.hooks.operators.svc',
          sideEffects: 'None',
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'], scope: '*' }],
          objectSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] },
          clientConfig: {
            service: { name: 'hooks', namespace: 'operators', port: 443, path: '/hooks/checkimage' },
            caBundle: Buffer.from(CA).toString('base64'),
          },
          timeoutSeconds: 30,
          admissionReviewVersions: ['v1', 'v1beta1'],
        },
      ],
    });
    expect(mutating).toMatchObject({
      kind: 'MutatingWebhookConfiguration',
      webhooks: [{ failurePolicy: 'Ignore', sideEffects: 'NoneOnDryRun', rules: [{ resources: ['deployments'] }] }],
    });
    expect(objects['deployment.yaml']).toContainEqual(
      expect.objectContaining({ kind: 'Service', metadata: expect.objectContaining({ name: 'hooks' }) }),
    );
  });

  it('should be accepted by the API server', async () => {
    const kube = await EmbeddedKube.start({ port: false, builtinControllers: false });
    onTestFinished(() => kube.stop());
    const { files } = await generate({ server }, { webhooks: { caBundle: CA } });
    for (const object of loadAll(files['webhooks.yaml']) as KubeObject[]) {
      const path = `/apis/admissionregistration.k8s.io/v1/${object.kind!.toLowerCase()}s/pods`;
      const response = await kube.transport().request({
        method: 'PATCH',
        path: `${path}?fieldManager=test&fieldValidation=Strict`,
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: JSON.stringify(object),
      });
      expect(response.status, await response.text()).toBe(201);
    }
  });

  it('should get their authority from cert-manager, which also makes the certificate of the server', async () => {
    const { objects, permissions, warnings } = await generate({ server }, { webhooks: { certManager: true } });
    expect(warnings).toEqual([]);
    const [issuer, certificate, validating] = objects['webhooks.yaml'];
    expect(issuer).toMatchObject({ kind: 'Issuer', metadata: { name: 'pods-webhooks', namespace: 'operators' } });
    expect(certificate.spec).toEqual({
      secretName: 'tls',
      dnsNames: ['hooks.operators.svc', 'hooks.operators.svc.cluster.local'],
      issuerRef: { kind: 'Issuer', name: 'pods-webhooks' },
    });
    expect(validating.metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': 'operators/pods-webhooks' });
    expect((validating as Configuration).webhooks[0].clientConfig).not.toHaveProperty('caBundle');
    // What cert-manager writes, the operator only reads.
    expect(permissions.filter(({ resource }) => resource === 'secrets')).toMatchObject([{ verb: 'get', name: 'tls' }]);
  });

  it('should lead to the controller of the application', async () => {
    const controller = KopfAdmissionModule.forRoot({ service: { name: 'pods', namespace: 'operators' }, caBundle: CA });
    const options = { name: 'pods', namespace: 'operators', prefix: 'api' };
    const { objects, warnings } = await generateManifests(moduleWith({}, controller), options);
    expect(warnings).toEqual([]);
    const [validating] = objects['webhooks.yaml'] as readonly Configuration[];
    expect(validating.webhooks[0].clientConfig).toEqual({
      service: { name: 'pods', namespace: 'operators', port: 443, path: '/api/admission/checkimage' },
      caBundle: Buffer.from(CA).toString('base64'),
    });
  });

  it('should be missing, with a warning, if nobody knows where the webhooks are, or why to trust them', async () => {
    const elsewhere: AdmissionServer = { serve: async function* () {} };
    const unknown = await generate({ server: elsewhere });
    expect(unknown.objects).not.toHaveProperty('webhooks.yaml');
    expect(unknown.warnings.join()).toContain(
      'give the server of webhooks, or KopfAdmissionModule, the option service',
    );
    expect((await generate({ server })).warnings.join()).toContain('give the option webhooks.caBundle');
  });

  it('should not be generated if the operator manages them', async () => {
    const { objects, warnings } = await generate({ server, managed: 'pods.example.com' });
    expect(objects).not.toHaveProperty('webhooks.yaml');
    expect(warnings).toEqual([]);
  });

  it('should be in charts in the namespace of the release, and in bundles as OLM makes them itself', async () => {
    const webhooks = { certManager: true };
    const chart = await generate({ server }, { webhooks, format: 'helm' });
    expect(chart.files['templates/webhooks.yaml']).toContain('name: checkimage.hooks.{{ .Release.Namespace }}.svc');
    const olm = { version: '1.0.0' };
    const { files } = await generate({ server }, { webhooks, format: 'olm', olm });
    expect(Object.keys(files).filter((path) => path.includes('webhookconfiguration'))).toEqual([]);
    const [csv] = loadAll(files['manifests/pods.clusterserviceversion.yaml']) as KubeObject[];
    expect((csv.spec as any).webhookdefinitions).toMatchObject([
      {
        type: 'ValidatingAdmissionWebhook',
        generateName: 'checkimage.hooks.operators.svc',
        deploymentName: 'pods',
        containerPort: 443,
        targetPort: 9443,
        webhookPath: '/hooks/checkimage',
        rules: [{ resources: ['pods'] }],
      },
      { type: 'MutatingAdmissionWebhook', webhookPath: '/hooks/complete' },
    ]);
  });
});

describe('The monitoring of an operator with metrics', () => {
  it('should have the alerts of the package', async () => {
    const { files } = await generateManifests(moduleWith({ server, managed: 'pods.example.com' }, await metrics()), {
      name: 'pods',
    });
    const [monitor, rule] = loadAll(files['monitoring.yaml']) as KubeObject[];
    expect(monitor).toMatchObject({
      kind: 'ServiceMonitor',
      spec: { endpoints: [{ port: 'http', path: '/metrics' }] },
    });
    expect(rule.kind).toBe('PrometheusRule');
    const [file] = readManifests('../libs/kopf/monitoring/alerts.yaml') as unknown as { groups: object }[];
    expect(rule.spec).toEqual({ groups: file.groups });
  });
});

async function metrics() {
  const { KopfMetricsModule } = await import('nestjs-kopf/metrics');
  return KopfMetricsModule.forRoot();
}
