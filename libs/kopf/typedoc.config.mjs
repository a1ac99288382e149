// The reference of the package, for the site of the guides: a page for each entry point, from the code's own documentation.
import { createRequire } from 'node:module';

const { exports } = createRequire(import.meta.url)('./package.json');
const sources = Object.values(exports).map((target) => target['nestjs-kopf-source']);

export default {
  entryPoints: sources.filter(Boolean),
  tsconfig: 'tsconfig.lib.json',
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
