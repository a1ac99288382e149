import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The most parameters of a constructor with which a reader still sees what the class is for. */
const MOST_PARAMETERS = 7;

function listConstructors(): readonly { file: string; parameters: number }[] {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8');
      const found: { file: string; parameters: number }[] = [];
      const visit = (node: ts.Node): void => {
        if (ts.isConstructorDeclaration(node)) found.push({ file, parameters: node.parameters.length });
        ts.forEachChild(node, visit);
      };
      visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
      return found;
    });
}

describe('The classes of the library', () => {
  it('should need few others each', () => {
    const constructors = listConstructors();
    expect(constructors.length).toBeGreaterThan(100);
    expect(constructors.filter(({ parameters }) => parameters > MOST_PARAMETERS)).toEqual([]);
  });
});
