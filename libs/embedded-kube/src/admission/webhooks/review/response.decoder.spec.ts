import { decodeResponse } from './response.decoder.js';

const REVIEW = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{}}';

describe('decodeResponse', () => {
  it.each([
    ['a review', REVIEW, { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: {} }],
    ['a review without kind', '{"response":{}}', { response: {} }],
    ['YAML', 'response: {allowed: true}', { response: { allowed: true } }],
  ])('should read %s', (_, body, expected) => {
    expect(decodeResponse({ status: 200, headers: {}, body }, 'v1')).toEqual(expected);
  });

  it.each<[string, number, string | undefined, string, string]>([
    ['a text', 500, 'text/plain', 'boom', 'an error on the server ("boom") has prevented the request from succeeding'],
    ['no text', 500, 'text/html', '', 'an error on the server ("") has prevented the request from succeeding'],
    [
      'JSON',
      500,
      'application/json',
      '{}',
      'an error on the server ("unknown") has prevented the request from succeeding',
    ],
    ['a status', 500, 'application/json', '{"kind":"Status","apiVersion":"v1","message":"told"}', 'told'],
    [
      'something unknown',
      418,
      'text/plain',
      'tea',
      'the server responded with the status code 418 but did not return more information',
    ],
    ['nothing there', 404, 'text/plain', 'x', 'the server could not find the requested resource'],
    ['a refusal', 403, 'text/plain', 'go away\n', 'go away'],
    ['no content', 200, 'text/plain', '', '0-length response with status code: 200 and content type: text/plain'],
    [
      'half of JSON',
      200,
      undefined,
      '{"a":',
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    [
      'another version',
      200,
      undefined,
      REVIEW.replace('v1', 'v1beta1'),
      'converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
    ],
    ['no base64', 200, undefined, '{"response":{"patch":"ab{d"}}', 'illegal base64 data at input byte 2'],
    [
      'base64 that ends early',
      200,
      undefined,
      '{"response":{"patch":"abcdab"}}',
      'illegal base64 data at input byte 4',
    ],
  ])('should refuse %s', (_, status, type, body, message) => {
    expect(() => decodeResponse({ status, headers: { 'content-type': type }, body }, 'v1')).toThrow(new Error(message));
  });
});
