// The reference of the package and of its tools, for the site of the guides: a page for each entry point, from the code's own documentation.
import { createRequire } from 'node:module';

const { exports } = createRequire(import.meta.url)('./package.json');
// What tools are made of are parts of the engine, which are documented where they are.
const { './tooling': _, ...entryPoints } = exports;
const sources = Object.values(entryPoints).map((target) => target['nestjs-kopf-source']);

const TOOLS = ['kopf-console', 'kopf-cli', 'kopf-simulation', 'embedded-kube'].map(
  (folder) => `../${folder}/src/index.ts`,
);

export default {
  entryPoints: [...sources.filter(Boolean), ...TOOLS],
  tsconfig: '../../tsconfig.json',
  plugin: ['typedoc-plugin-markdown'],
  out: 'docs/reference',
  router: 'member',
  readme: 'none',
  excludeInternal: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeExternals: true,
  disableSources: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  treatWarningsAsErrors: true,
  validation: { notExported: true, invalidLink: true, rewrittenLink: true },
};
