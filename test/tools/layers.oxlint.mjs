// The lint rules that keep the packages, and the layers of a package, apart. They are made from layers.json, which lists for each package
// which other ones of this repository it imports, always by an entry point, and its layers, if it has any: a layer imports only what comes before it. A layer is a folder of the sources, or a file beside the folders; `.` stands for all
// other files beside the folders; those in brackets do not import each other. Nothing imports a leaf, which may import everything
// but other leaves, unless the list says on which ones it stands, or which few layers it may import. Specs may import whatever they need.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const LIST = 'test/tools/layers.json';
const LIBRARIES = JSON.parse(readFileSync(new URL('layers.json', import.meta.url), 'utf8'));

/** The entry points of the packages of this repository, by the names of the packages. */
const ENTRY_POINTS = new Map(
  readdirSync(new URL('../../libs', import.meta.url))
    .map((folder) => new URL(`../../libs/${folder}/package.json`, import.meta.url))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .map(({ name, exports }) => [name, Object.keys(exports).map((path) => posix.join(name, path))]),
);

/** Finds the library whose sources a file is part of, and the path of the file there. */
function locate(filename) {
  const path = filename.replaceAll('\\', '/');
  const source = Object.keys(LIBRARIES).find((folder) => path.includes(`/${folder}/`));
  if (!source) return undefined;
  return { source, library: LIBRARIES[source], file: path.slice(path.lastIndexOf(`/${source}/`) + source.length + 2) };
}

/** Finds the layer that a file belongs to: its folder, itself, or `.`. */
function layerOf({ layers }, file) {
  if (file.includes('/')) return file.split('/')[0];
  const name = file.replace(/\.js$/, '.ts');
  return layers.flat().includes(name) ? name : '.';
}

function isListed({ layers, leaves }, layer) {
  return layers.flat().includes(layer) || leaves.includes(layer);
}

/** Says why one file must not import another one of the same library, if that is so. */
function explainViolation(library, from, to) {
  const [importing, imported] = [layerOf(library, from), layerOf(library, to)];
  if (importing === imported || library.exceptions.some((one) => one.from === from && one.to === to)) return undefined;
  if (library.leavesOnLeaves?.[importing]?.includes(imported)) return undefined;
  if (library.leaves.includes(imported)) return `nothing may import the leaf '${imported}'`;
  if (library.leavesOverFew?.[importing]?.includes(imported) === false)
    return `'${importing}' reads operators by 'inspection' only`;
  if (library.leaves.includes(importing)) return undefined;
  const rankOf = (layer) => library.layers.findIndex((rank) => [rank].flat().includes(layer));
  if (rankOf(imported) < rankOf(importing)) return undefined;
  const place = rankOf(imported) === rankOf(importing) ? 'stands beside' : 'comes after';
  return `'${imported}' ${place} '${importing}'`;
}

/** Visits the specifiers of all relative imports and exports: of values and types, static and dynamic. */
function visitImports(visit) {
  return visitSpecifiers((node, specifier) => {
    if (specifier.startsWith('.')) visit(node, specifier);
  });
}

/** Visits the specifiers of all imports and exports. */
function visitSpecifiers(visit) {
  const visitSource = ({ source }) => {
    if (typeof source?.value === 'string') visit(source, source.value);
  };
  return {
    ImportDeclaration: visitSource,
    ImportExpression: visitSource,
    ExportNamedDeclaration: visitSource,
    ExportAllDeclaration: visitSource,
    TSImportType: visitSource,
  };
}

const order = {
  create(context) {
    const located = locate(context.filename);
    if (!located) return {};
    const { library, source, file } = located;
    if (!library.layers) return {};
    return {
      Program(node) {
        const layer = layerOf(library, file);
        if (isListed(library, layer)) return;
        context.report({
          node,
          message: `The folder '${layer}' of ${source} has no place among the layers in ${LIST}.`,
        });
      },
      ...visitImports((node, specifier) => {
        const to = posix.join(posix.dirname(file), specifier);
        const violation = to.startsWith('..') ? undefined : explainViolation(library, file, to);
        if (!violation) return;
        const message = `${file} must not import ${to}: ${violation} among the layers of ${source} in ${LIST}.`;
        context.report({ node, message });
      }),
    };
  },
};

const ownSources = {
  create(context) {
    const located = locate(context.filename);
    if (!located) return {};
    const { source, file } = located;
    return visitImports((node, specifier) => {
      const to = posix.join(posix.dirname(file), specifier);
      if (!to.startsWith('..')) return;
      const message = `${file} must not import ${posix.join(source, to)}: it is outside of ${source}; import a package by its name.`;
      context.report({ node, message });
    });
  },
};

const packages = {
  create(context) {
    const located = locate(context.filename);
    if (!located) return {};
    const { source, library } = located;
    return visitSpecifiers((node, specifier) => {
      const found = [...ENTRY_POINTS].find(([name]) => specifier === name || specifier.startsWith(`${name}/`));
      if (!found) return;
      const [name, entryPoints] = found;
      if (!library.packages.includes(name)) {
        context.report({
          node,
          message: `${source} must not import ${name}: it is not among its packages in ${LIST}.`,
        });
      } else if (!entryPoints.includes(specifier)) {
        context.report({ node, message: `${specifier} is not an entry point of ${name}.` });
      }
    });
  },
};

export default { meta: { name: 'layers' }, rules: { order, packages, 'own-sources': ownSources } };
