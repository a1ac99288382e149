import { compileFunction } from 'node:vm';
import { findComment } from '../custom-resources/source.comments.js';
import { addDeclaredComments } from './declared.comments.js';

const DECLARATIONS = `import { Other } from './other.js';
declare class Base {
    /** The zone, as {@link Zones} and {@link https://example.com | the site} name it. */
    zone: string;
}
/** Options of it; they are no class. */
export interface Options {
    /** A text. */
    size: string;
}
/**
 * A disk.
 *
 * @example
 * new Disk();
 */
export declare class Disk extends Base {
    private readonly secret;
    /** Not a field. */
    private note?;
    /**
     * How large it is: \`{ "a": 1 }\`,
     * in GiB.
     */
    readonly size?: string;
    /** Quoted. */
    "not-a-name": {
        /** Within another type. */
        size: number;
    };
    plain: number;
    /** A method. */
    describe(options: {
        size: string;
    }): string;
    /** Of the class. */
    static count: number;
}
/** Something else. */
export declare const VALUE = 1;
`;

const CODE = 'class Base {}\nclass Disk extends Base {}\n//# sourceMappingURL=data:,{}';

describe('addDeclaredComments', () => {
  it('should add the documentation of classes and properties, and of nothing else', () => {
    const code = addDeclaredComments(CODE, DECLARATIONS);
    expect(code).toMatch(/\n\/\/# sourceMappingURL=data:,\{\}$/);
    const { Disk, Base } = compileFunction(`${code}\nreturn { Disk, Base };`)() as Record<string, Function>;
    const names = ['', 'zone', 'size', 'not-a-name', 'plain', 'secret', 'note', 'describe', 'count'];
    expect(names.map((name) => [name, findComment(Disk, name)])).toEqual([
      ['', 'A disk.'],
      ['zone', 'The zone, as Zones and the site name it.'],
      ['size', 'How large it is: `{ "a": 1 }`, in GiB.'],
      ['not-a-name', 'Quoted.'],
      ['plain', undefined],
      ['secret', undefined],
      ['note', undefined],
      ['describe', undefined],
      ['count', undefined],
    ]);
    expect(findComment(Base)).toBeUndefined();
  });

  it('should leave a module as it is that has no documentation', () => {
    expect(addDeclaredComments(CODE, 'export declare class Disk {\n    size: string;\n}\n')).toBe(CODE);
  });
});
