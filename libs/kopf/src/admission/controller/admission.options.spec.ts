import { checkAddress, checkPath, type KopfAdmissionAddress } from './admission.options.js';
import { KopfAdmissionModule } from './kopf-admission.module.js';

describe('the options of KopfAdmissionModule', () => {
  it.each<[KopfAdmissionAddress]>([
    [{}],
    [{ url: 'https://host' }],
    [{ url: 'https://host:8443/base/', caBundle: 'YQ==' }],
    [{ service: { name: 'a', namespace: 'b', port: 1 } }],
  ])('should accept the address %j', (address) => {
    expect(() => checkAddress(address)).not.toThrow();
  });

  it.each<[KopfAdmissionAddress, string]>([
    [{ url: 'http://host' }, 'must be a URL that begins with https://'],
    [{ url: 'host' }, 'must be a URL'],
    [{ url: 'https://host/?a=b' }, 'neither a query nor a fragment'],
    [{ url: 'https://me@host/' }, 'must be a URL'],
    [{ service: { namespace: 'b' } }, 'must have a name'],
    [{ url: 'https://host', service: { name: 'a' } }, 'exclude each other'],
  ])('should refuse the address %j', (address, violation) => {
    expect(() => checkAddress(address)).toThrow(violation);
  });

  it.each(['', '/', '//'])('should refuse the path "%s"', (path) => {
    expect(() => checkPath(path)).toThrow('path of KopfAdmissionModule must not be empty');
    expect(() => KopfAdmissionModule.forRoot({ path })).toThrow('must not be empty');
  });
});
