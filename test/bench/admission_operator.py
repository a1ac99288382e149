import os

import kopf


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_):
    settings.posting.enabled = False
    settings.admission.server = kopf.WebhookServer(
        addr='127.0.0.1',
        port=int(os.environ['PORT']),
        certfile=os.environ['CERTFILE'],
        pkeyfile=os.environ['PKEYFILE'],
    )


@kopf.on.validate('kopfexamples.kopf.dev', operations=['CREATE', 'UPDATE'])
def check(spec, warnings, **_):
    if spec.get('size', 0) > 100:
        raise kopf.AdmissionError('It is too large.', code=422)
    if not spec.get('disks'):
        warnings.append('There are no disks.')
