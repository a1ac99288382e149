// The lint rules that keep the layers of the libraries apart. They are made from layers.json, which lists the layers of each library:
// a layer imports only what comes before it. A layer is a folder of the sources, or a file beside the folders; `.` stands for all
// other files beside the folders; those in brackets do not import each other. Nothing imports a leaf, which may import everything
// but other leaves, unless the list says on which ones it stands, or which few layers it may import. Specs may import whatever they need.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

const LIST = 'test/tools/layers.json';
const LIBRARIES = JSON.parse(readFileSync(new URL('layers.json', import.meta.url), 'utf8'));

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
  const visitSource = ({ source }) => {
    if (typeof source?.value === 'string' && source.value.startsWith('.')) visit(source, source.value);
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

export default { meta: { name: 'layers' }, rules: { order, 'own-sources': ownSources } };
