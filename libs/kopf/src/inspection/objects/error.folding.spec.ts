import { ErrorFolder, foldError } from './error.folding.js';

describe('foldError', () => {
  it.each<[string, string, string]>([
    ['numbers', 'timed out after 30.5 seconds', 'timed out after … seconds'],
    ['addresses', 'connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED …'],
    ['UUIDs', 'no volume 0a1b2c3d-0000-4000-8000-00000000beef there', 'no volume … there'],
    ['hashes', 'the pod web-5d8f9c7b6 has gone', 'the pod web-… has gone'],
    ['the names of the object', 'the claim shop/web-a of web-a is not there', 'the claim …/… of … is not there'],
    ['nothing of words that hold a name', 'the webs of web-a-b', 'the webs of web-a-b'],
    ['all but the first line', 'no disk\n  at line 3', 'no disk'],
    ['nothing that is a word', 'the facade failed', 'the facade failed'],
  ])('should fold %s', (_what, text, folded) => {
    expect(foldError(text, ['shop', 'web-a', undefined])).toBe(folded);
  });

  it('should not take names for patterns', () => {
    expect(foldError('abc a.c', ['a.c'])).toBe('abc …');
  });
});

describe('The folder of errors', () => {
  it('should fold as ever, and remember a bounded number of texts', () => {
    const folder = new ErrorFolder();
    for (const name of ['web-a', 'web-b', 'web-a'])
      expect(folder.fold(`no ${name} of web-a`, [name])).toBe(foldError(`no ${name} of web-a`, [name]));
    for (let index = 0; index < 5000; index++) expect(folder.fold(`no disk ${index}`, [])).toBe('no disk …');
  });
});
