import { loadAll } from 'js-yaml';
import { EmbeddedKube } from 'embedded-kube';
import type { KubeObject, KopfModuleOptions } from 'nestjs-kopf';
import { generateManifests, type ManifestOptions } from 'nestjs-kopf-cli';
import { findBundleViolations } from '../../../libs/kopf-cli/src/manifests/bundles/olm.rules.js';
import { APPS } from './apps.js';

const { 'ephemeral-volume-claims': claims, 'inventory-api': inventory } = APPS;

function generate(app: typeof claims, options: Partial<ManifestOptions> = {}, module?: KopfModuleOptions) {
  return generateManifests(app.createModule(module), { ...app.options, ...options });
}

const parse = (text: string): KubeObject[] => loadAll(text) as KubeObject[];

const kindsOf = (text: string): readonly string[] => parse(text).map(({ kind = '' }) => kind);

/** Fills in the values as Helm does, as far as the generated templates need it. */
function render(template: string, values: any, namespace: string): string {
  const [, condition] = /^\{\{- if (.*) \}\}\n/.exec(template) ?? [];
  if (condition === '.Values.monitoring.enabled' && !values.monitoring.enabled) return '';
  if (condition?.startsWith('gt') && values.replicas <= 1) return '';
  return template
    .replace(/^\{\{- if .* \}\}\n([^]*)\{\{- end \}\}\n$/, '$1')
    .replaceAll('{{ .Release.Namespace }}', namespace)
    .replaceAll(/\n *\{\{- toYaml \.Values\.resources \| nindent \d+ \}\}/g, ` ${JSON.stringify(values.resources)}`)
    .replaceAll(/\{\{ \.Values\.([\w.]+) \}\}/g, (_, path: string) =>
      String(path.split('.').reduce((value, key) => value[key], values)),
    );
}

describe('The generated workload', () => {
  let kube: EmbeddedKube;

  beforeAll(async () => {
    kube = await EmbeddedKube.start({ port: false, builtinControllers: false });
  });

  afterAll(() => kube.stop());

  /** Applies objects as kubectl does, with unknown fields being errors. */
  async function apply(objects: readonly KubeObject[]): Promise<void> {
    const transport = kube.transport();
    for (const object of objects) {
      const { apiVersion = '', kind = '', metadata } = object;
      const plural = kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`;
      const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const namespace = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
      const response = await transport.request({
        method: 'PATCH',
        path: `${root}${namespace}/${plural}/${metadata.name}?fieldManager=test&fieldValidation=Strict&force=true`,
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: JSON.stringify(object),
      });
      expect(response.status, `${kind}: ${await response.text()}`).toBeLessThan(300);
    }
  }

  it.each(Object.entries(APPS))('should be accepted by the API server: %s', async (_name, app) => {
    const { files } = await generate(app, { format: 'kustomize', replicas: 2 });
    const { 'kustomization.yaml': kustomization, ...rest } = files;
    const { 'monitoring/monitoring.yaml': monitoring, 'monitoring/kustomization.yaml': component, ...base } = rest;
    const [{ resources }] = parse(kustomization) as unknown as [{ resources: string[] }];
    expect(resources).toEqual(Object.keys(base).sort());
    await apply(Object.values(base).flatMap(parse));
    if (component !== undefined) {
      expect(parse(component)).toMatchObject([{ kind: 'Component', resources: ['monitoring.yaml'] }]);
    }
    expect(monitoring === undefined ? [] : kindsOf(monitoring)).toEqual(
      app === inventory ? ['ServiceMonitor', 'PrometheusRule'] : [],
    );
  });

  it('should have no readiness probe where the application works without its operator', async () => {
    const { files } = await generate(inventory);
    expect(files['deployment.yaml']).toContain('livenessProbe:');
    expect(files['deployment.yaml']).not.toContain('readinessProbe:');
  });

  it('should have probes, ports, and a service where the application has routes and webhooks', async () => {
    const server = { describe: () => ({ port: 9443, service: { name: 'hooks' } }), serve: null as never };
    const settings = { admission: { server } };
    const { files } = await generate(inventory, { settings, port: 8080, prefix: '/api/' }, { required: true });
    const [deployment, ...others] = parse(files['deployment.yaml']);
    const { spec } = (deployment.spec as { template: { spec: any } }).template;
    expect(spec.containers[0]).toMatchObject({
      ports: [
        { name: 'http', containerPort: 8080 },
        { name: 'webhooks', containerPort: 9443 },
      ],
      livenessProbe: { httpGet: { path: '/api/healthz', port: 'http' } },
      readinessProbe: { httpGet: { path: '/api/readyz', port: 'http' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
    expect(others.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Service inventory-api',
      'Service hooks',
      'NetworkPolicy inventory-api',
    ]);
  });

  it('should have several replicas with leader election, and one without', async () => {
    const one = await generate(claims);
    expect(kindsOf(one.files['deployment.yaml'])).toEqual(['Deployment', 'NetworkPolicy']);
    expect(parse(one.files['deployment.yaml'])[0].spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    const elected = await generate(claims, { namespace: 'operators' }, { coordination: 'lease' });
    const [deployment] = parse(elected.files['deployment.yaml']);
    expect(deployment.spec).toMatchObject({ replicas: 2, strategy: { type: 'RollingUpdate' } });
    expect(kindsOf(elected.files['disruption.yaml'])).toEqual(['PodDisruptionBudget']);
    const role = parse(elected.files['rbac.yaml']).find(({ kind }) => kind === 'Role');
    expect(role).toMatchObject({
      metadata: { namespace: 'operators' },
      rules: [{ resources: ['leases'] }, { resources: ['leases'] }],
    });
  });

  it('should be a chart whose values are what was generated', async () => {
    const options = { image: 'registry.example.com:5000/claims:1.2.3', olm: { version: '1.2.3' } };
    const plain = await generate(claims, { ...options, namespace: 'operators' });
    const { files } = await generate(claims, { ...options, format: 'helm' });
    const { 'Chart.yaml': chart, 'values.yaml': valuesText, 'crds/crd.yaml': crds, ...templates } = files;
    const [values] = parse(valuesText) as any[];
    expect(parse(chart)).toEqual([expect.objectContaining({ name: 'ephemeral-volume-claims', version: '1.2.3' })]);
    expect(crds).toBe(plain.files['crd.yaml']);
    const rendered = Object.values(templates).flatMap((text) => parse(render(text, values, 'operators')));
    const wanted = Object.entries(plain.files).flatMap(([path, text]) => (path === 'crd.yaml' ? [] : parse(text)));
    const withoutPolicy = JSON.parse(JSON.stringify(rendered).replaceAll(/"imagePullPolicy":"\w+",/g, '')) as unknown;
    expect(withoutPolicy).toEqual(wanted);
    const changed = Object.values(templates).flatMap((text) =>
      parse(render(text, { ...values, replicas: 3 }, 'other')),
    );
    expect(changed.map(({ kind }) => kind)).toContain('PodDisruptionBudget');
    expect(JSON.stringify(changed)).not.toMatch(/helm-|987654321|operators/);
  });

  it('should be a chart for the namespaces of its values, or for the whole cluster', async () => {
    const { files } = await generate(claims, { format: 'helm', namespacesVariable: 'WATCH_NAMESPACES' });
    expect(parse(files['values.yaml'])).toEqual([expect.objectContaining({ namespaces: [] })]);
    expect(files['templates/deployment.yaml']).toContain(
      'name: WATCH_NAMESPACES\n              value: {{ join "," .Values.namespaces | quote }}\n',
    );
    const [, account, rest, role, cluster] =
      /^([^]*)\{\{- if \.Values\.namespaces \}\}\n([^]*)\{\{- range \.Values\.namespaces \}\}\n([^]*)\{\{- end \}\}\n\{\{- else \}\}\n([^]*)\{\{- end \}\}\n$/.exec(
        files['templates/rbac.yaml'],
      )!;
    const plain = await generate(claims, { namespace: 'operators' });
    const renderRelease = (text: string): string => text.replaceAll(/\{\{ \$?\.Release\.Namespace \}\}/g, 'operators');
    const clusterWide = parse(renderRelease(account + cluster));
    expect(clusterWide).toEqual(plain.objects['rbac.yaml']);
    const limited = ['a', 'b'].map((name) => renderRelease(role).replaceAll('{{ . }}', name)).join('');
    const objects = parse(renderRelease(account + rest) + limited);
    const name = 'ephemeral-volume-claims-objects';
    expect(objects.filter(({ kind }) => kind === 'Role').map(({ metadata }) => metadata)).toEqual([
      { name, namespace: 'a' },
      { name, namespace: 'b' },
    ]);
    expect(objects.find(({ kind }) => kind === 'RoleBinding')).toMatchObject({
      roleRef: { kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name: 'ephemeral-volume-claims', namespace: 'operators' }],
    });
    // All that is permitted in the whole cluster otherwise is what has no namespace.
    const permitted = (kind: string, among: readonly any[]): readonly any[] =>
      among.filter((object) => object.kind === kind).flatMap(({ rules }) => rules);
    expect(permitted('Role', objects).length).toBeGreaterThan(0);
    for (const { resources } of permitted('ClusterRole', objects))
      expect(resources).not.toContain('ephemeralvolumeclaims');
  });

  describe('as a bundle', () => {
    const bundleOf = async (options: Partial<ManifestOptions>, module?: KopfModuleOptions) => {
      const olm = { version: '1.2.3' };
      const { files, warnings } = await generate(
        claims,
        { format: 'olm', olm, namespace: 'operators', ...options },
        module,
      );
      const [csv] = parse(files['manifests/ephemeral-volume-claims.clusterserviceversion.yaml']) as any[];
      const { installModes, install } = csv.spec;
      const { permissions = [], clusterPermissions = [], deployments } = install.spec;
      const rulesOf = (grants: readonly any[]): readonly any[] => grants.flatMap(({ rules }) => rules);
      return {
        warnings,
        modes: installModes.flatMap(({ type, supported }: any) => (supported ? [type] : [])),
        environment: deployments[0].spec.template.spec.containers[0].env,
        own: rulesOf(permissions),
        everywhere: rulesOf(clusterPermissions),
      };
    };
    const flatten = (rules: readonly any[]): readonly string[] =>
      rules
        .flatMap(({ apiGroups, resources, verbs, resourceNames = ['*'] }) =>
          apiGroups.flatMap((group: string) =>
            resources.flatMap((resource: string) =>
              verbs.flatMap((verb: string) =>
                resourceNames.map((name: string) => `${verb} ${resource}.${group} ${name}`),
              ),
            ),
          ),
        )
        .sort();

    it.each<[string, KopfModuleOptions | undefined]>([
      ['the whole cluster', undefined],
      ['named namespaces', { namespaces: ['team-a', 'team-b'] }],
      ['a pattern', { namespaces: 'team-*' }],
    ])('should serve the namespaces that OLM sets where the module would serve %s', async (_what, module) => {
      const bundle = await bundleOf({ namespacesVariable: 'WATCH_NAMESPACES', env: { LEVEL: 'info' } }, module);
      expect(bundle.environment).toEqual([
        expect.objectContaining({ name: 'POD_ID' }),
        { name: 'LEVEL', value: 'info' },
        {
          name: 'WATCH_NAMESPACES',
          valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
        },
      ]);
      expect(bundle.modes).toEqual(['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces']);
      expect(bundle.warnings.join()).not.toContain('OLM');
      // In each namespace: what named namespaces need. In all of them, where OLM makes cluster roles of all rules: what the cluster needs.
      const named = await generate(claims, { namespace: 'operators' }, { namespaces: ['operators'] });
      const whole = await generate(claims, { namespace: 'operators' }, { namespaces: undefined });
      const permitted = (objects: typeof named.objects, ...kinds: readonly string[]): readonly string[] =>
        flatten(objects['rbac.yaml'].flatMap((object: any) => (kinds.includes(object.kind) ? object.rules : [])));
      expect(flatten(bundle.own)).toEqual(permitted(named.objects, 'Role'));
      const all = flatten([...bundle.own, ...bundle.everywhere]);
      expect(all).toEqual(expect.arrayContaining([...permitted(whole.objects, 'Role', 'ClusterRole')]));
      expect(flatten(bundle.everywhere).join()).not.toContain('ephemeralvolumeclaims.');
    });

    it.each<[KopfModuleOptions, string]>([
      [{ namespaces: ['team-a', 'team-b'] }, 'The module serves team-a, team-b, whatever namespaces OLM wants'],
      [{ namespaces: 'team-*' }, 'The module serves team-*, whatever namespaces OLM wants'],
    ])('should support no mode that the operator would ignore, and say so: %j', async (module, warning) => {
      const bundle = await bundleOf({}, module);
      expect(bundle.modes).toEqual(['AllNamespaces']);
      expect(bundle.warnings.join()).toContain(warning);
    });

    it('should support all namespaces only, without a warning, if the module serves the whole cluster', async () => {
      const { modes, warnings } = await bundleOf({}, { namespaces: undefined });
      expect(modes).toEqual(['AllNamespaces']);
      expect(warnings.join()).not.toContain('OLM');
    });
  });

  it('should be a bundle by the rules of the validator', async () => {
    const { files } = await generate(claims, { format: 'olm', olm: { version: '1.2.3' } });
    expect(Object.keys(files).sort()).toEqual([
      'bundle.Dockerfile',
      'manifests/ephemeral-volume-claims.clusterserviceversion.yaml',
      'manifests/ephemeralvolumeclaims.kopf.dev.customresourcedefinition.yaml',
      'metadata/annotations.yaml',
    ]);
    const [csv] = parse(files['manifests/ephemeral-volume-claims.clusterserviceversion.yaml']);
    const [crd] = parse(files['manifests/ephemeralvolumeclaims.kopf.dev.customresourcedefinition.yaml']);
    const [{ annotations }] = parse(files['metadata/annotations.yaml']) as any[];
    const bundle = { csv, crds: [crd], annotations };
    expect(findBundleViolations(bundle)).toEqual([]);
    const spec = csv.spec as any;
    const withWebhook = (webhook: object, installModes: readonly object[] = spec.installModes) => {
      const whole = { generateName: 'a', deploymentName: 'ephemeral-volume-claims', ...webhook };
      return { ...csv, spec: { ...spec, installModes, webhookdefinitions: [whole] } };
    };
    const broken: readonly (readonly [string, object])[] = [
      [
        'metadata/annotations.yaml: operators.operatorframework.io.bundle.channels.v1 is missing',
        { annotations: { ...annotations, 'operators.operatorframework.io.bundle.channels.v1': '' } },
      ],
      [
        "metadata.name: 'other' must be the package and the version",
        { csv: { ...csv, metadata: { ...csv.metadata, name: 'other' } } },
      ],
      [
        `the name '${'a'.repeat(64)}' is longer than 63 characters`,
        { csv: { ...csv, metadata: { ...csv.metadata, name: 'a'.repeat(64) } } },
      ],
      ["spec.version: '1.2' is no version", { csv: { ...csv, spec: { ...spec, version: '1.2' } } }],
      ["spec.minKubeVersion: '1.28' is no version", { csv: { ...csv, spec: { ...spec, minKubeVersion: '1.28' } } }],
      ['spec.provider.name: is missing', { csv: { ...csv, spec: { ...spec, provider: { name: '' } } } }],
      ['spec.displayName: is missing', { csv: { ...csv, spec: { ...spec, displayName: '' } } }],
      [
        'spec.maintainers[0]: needs a name',
        { csv: { ...csv, spec: { ...spec, maintainers: [{ name: 'Me', email: 'me' }] } } },
      ],
      [
        'spec.installModes: must have each',
        { csv: { ...csv, spec: { ...spec, installModes: spec.installModes.slice(1) } } },
      ],
      [
        'spec.installModes: none is supported',
        {
          csv: {
            ...csv,
            spec: { ...spec, installModes: spec.installModes.map((mode: object) => ({ ...mode, supported: false })) },
          },
        },
      ],
      [
        'spec.install.strategy: must be deployment',
        { csv: { ...csv, spec: { ...spec, install: { ...spec.install, strategy: 'x' } } } },
      ],
      [
        'spec.install.spec.deployments: there is none',
        { csv: { ...csv, spec: { ...spec, install: { ...spec.install, spec: { deployments: [] } } } } },
      ],
      ['the bundle has no CRD ephemeralvolumeclaims.kopf.dev/v1/EphemeralVolumeClaim', { crds: [] }],
      [
        'the CRD ephemeralvolumeclaims.kopf.dev/v1/EphemeralVolumeClaim of the bundle is missing',
        { csv: { ...csv, spec: { ...spec, customresourcedefinitions: { owned: [] } } } },
      ],
      ["spec.version: '1.02.3' is no version", { csv: { ...csv, spec: { ...spec, version: '1.02.3' } } }],
      ['spec.version: 0.0.0 stands for none', { csv: { ...csv, spec: { ...spec, version: '0.0.0' } } }],
      ["spec.replaces: 'claims' must be a package", { csv: { ...csv, spec: { ...spec, replaces: 'claims' } } }],
      [
        'metadata.annotations.alm-examples: kopf.dev/v2 Other is no resource of the operator',
        {
          csv: {
            ...csv,
            metadata: {
              ...csv.metadata,
              annotations: { 'alm-examples': '[{"apiVersion":"kopf.dev/v2","kind":"Other"}]' },
            },
          },
        },
      ],
      ["spec.webhookdefinitions: a has no deployment 'other'", { csv: withWebhook({ deploymentName: 'other' }) }],
      [
        'spec.webhookdefinitions: a converts others.example.com, which the operator does not own',
        { csv: withWebhook({ conversionCRDs: ['others.example.com'] }) },
      ],
      [
        'spec.webhookdefinitions: a converts objects, for which only AllNamespaces may be supported',
        {
          csv: withWebhook({ conversionCRDs: ['ephemeralvolumeclaims.kopf.dev'] }, [
            ...spec.installModes.slice(0, 3).map((mode: object) => ({ ...mode, supported: true })),
            spec.installModes[3],
          ]),
        },
      ],
      [
        'ServiceAccount ephemeral-volume-claims: OLM makes the account',
        { others: [{ kind: 'ServiceAccount', metadata: { name: 'ephemeral-volume-claims' } }] },
      ],
      [
        'PodDisruptionBudget a: spec.maxUnavailable must not be 0%',
        { others: [{ kind: 'PodDisruptionBudget', metadata: { name: 'a' }, spec: { maxUnavailable: '0%' } }] },
      ],
      [
        'PodDisruptionBudget a: spec.minAvailable must not be 100%',
        { others: [{ kind: 'PodDisruptionBudget', metadata: { name: 'a' }, spec: { minAvailable: '100%' } }] },
      ],
      [
        'metadata.annotations.alm-examples: is no JSON',
        { csv: { ...csv, metadata: { ...csv.metadata, annotations: { 'alm-examples': '{' } } } },
      ],
    ];
    for (const [message, part] of broken) {
      expect(findBundleViolations({ ...bundle, ...part }).join('\n'), message).toContain(message);
    }
    await expect(generate(claims, { format: 'olm', olm: { version: 'v1' } })).rejects.toThrow(
      "'v1' is no version such as 1.2.3",
    );
  });
});
