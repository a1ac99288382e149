import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import { generateManifests, type ManifestOptions } from 'nestjs-kopf-cli';
import { cachedProgram, output } from '../../conformance/clients/client.js';
import { APPS, EXHIBITS, type App } from '../../e2e/manifests/apps.js';

const SOURCES = import.meta.dirname;

/** The files of a bundle, as texts by their paths. */
type Bundle = Readonly<Record<string, string>>;

/**
 * Compiles the validator of the Operator Lifecycle Manager, once for each state of its sources.
 *
 * @returns undefined without Go, or where its modules cannot be downloaded
 */
async function findValidator(): Promise<string | undefined> {
  const hash = createHash('sha256');
  const sources = readdirSync(SOURCES).filter((file) => /\.(go|mod|sum)$/.test(file));
  for (const file of sources.sort()) hash.update(readFileSync(join(SOURCES, file)));
  const options = {
    cwd: SOURCES,
    env: { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false' },
  };
  return cachedProgram(`olm-validator-${hash.digest('hex').slice(0, 16)}`, true, async (path) => {
    const hasModules = await output('go', ['list', '-deps', '.'], options).then(
      () => true,
      () => false,
    );
    if (hasModules) await output('go', ['build', '-ldflags=-s -w', '-o', path, '.'], options);
  });
}

/** The validator warns of bundles without any. */
const ICON = {
  base64data: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64'),
  mediatype: 'image/svg+xml',
};

const [claims, inventory] = [APPS['ephemeral-volume-claims'], APPS['inventory-api']];

/** An operator whose webhooks are those of its bundle, and which has more than one replica. */
const guarded: App = {
  createModule: () => {
    const server = new WebhookServer({
      port: 9443,
      service: { name: 'inventory-api' },
    });
    return inventory.createModule({ admission: { managed: null, server } });
  },
  options: { ...inventory.options, replicas: 2 },
};

describe('The validator of the Operator Lifecycle Manager', () => {
  let validator: string | undefined;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'olm-'));
    validator = await findValidator();
    if (!validator) console.warn('Without Go, or without its modules, no bundle is validated.');
  }, 1_200_000);

  beforeEach(({ skip }) => skip(validator === undefined));

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function createBundle({ createModule, options }: App, more: Partial<ManifestOptions> = {}): Promise<Bundle> {
    const olm = { version: '1.2.3', icon: ICON };
    const { files } = await generateManifests(createModule(), {
      ...options,
      format: 'olm',
      olm,
      ...more,
    });
    return files;
  }

  /** @returns the lines that the validator prints */
  async function validate(bundle: Bundle): Promise<readonly string[]> {
    const root = mkdtempSync(join(folder, 'bundle-'));
    for (const [path, text] of Object.entries(bundle)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const printed = await output(validator!, [root]).catch((error: { readonly stdout?: string }) => {
      // Errors have the code 1, which makes the run of the program fail.
      if (!error.stdout) throw error;
      return error.stdout;
    });
    return printed.trim().split('\n').filter(Boolean);
  }

  const errorsOf = (lines: readonly string[]): readonly string[] => lines.filter((line) => line.startsWith('error:'));

  it.each([
    ...Object.entries(APPS),
    ['inventory-api, with webhooks and replicas', guarded] as const,
    ['the timers of the gallery', EXHIBITS.timers] as const,
    ['namespaces that OLM sets', { ...claims, options: { ...claims.options, namespacesVariable: 'WATCH' } }] as const,
  ])('should find no error in the bundle of %s, and nothing to warn of', async (_name, app) => {
    const bundle = await createBundle(app);
    expect(await validate(bundle)).toEqual([]);
  });

  it('should be given webhooks and all objects of bundles', async () => {
    const bundle = await createBundle(guarded);
    const csv = bundle['manifests/inventory-api.clusterserviceversion.yaml'];
    expect(csv).toMatch(/^  webhookdefinitions:\n    - type: ValidatingAdmissionWebhook$/m);
    const kinds = Object.keys(bundle).map((path) => /\.(\w+)\.yaml$/.exec(path)?.[1]);
    expect(kinds).toEqual(expect.arrayContaining(['customresourcedefinition', 'service', 'poddisruptionbudget']));
  });

  const CSV = 'manifests/ephemeral-volume-claims.clusterserviceversion.yaml';
  const changed = (from: string | RegExp, to: string) => (bundle: Bundle) => ({
    ...bundle,
    [CSV]: bundle[CSV].replace(from, to),
  });
  const ACCOUNT = 'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ephemeral-volume-claims\n';

  it.each<readonly [string, RegExp, (bundle: Bundle) => Bundle]>([
    ['no install modes', /install modes not found/, changed(/^ {2}installModes:\n( {4}.*\n)*/m, '')],
    ['a version of Kubernetes that is none', /MinKubeVersion has an invalid value/, changed('1.28.0', '1.28')],
    ['an example of another resource', /example must have a provided API/, changed('kopf.dev/v1', 'kopf.dev/v2')],
    ['a misspelt field', /unknown field "installMode"/, changed('installModes:', 'installMode:')],
    [
      'no CRD',
      /owned CRD .* not found in bundle/,
      (bundle) => Object.fromEntries(Object.entries(bundle).filter(([path]) => !path.includes('customresource'))),
    ],
    [
      'the account that OLM makes',
      /invalid service account found/,
      (bundle) => ({ ...bundle, 'manifests/account.yaml': ACCOUNT }),
    ],
  ])('should find the error of a bundle with %s', async (_name, message, change) => {
    const bundle = await createBundle(claims);
    const lines = await validate(change(bundle));
    expect(errorsOf(lines).join('\n')).toMatch(message);
  });
});
