import { EmbeddedKube } from 'embedded-kube';
import { describeKubeconfigFields } from './kubeconfig-fields.suite.js';

describeKubeconfigFields('A kubeconfig, as kubectl takes it', () => EmbeddedKube.start({ authorization: 'rbac' }));
