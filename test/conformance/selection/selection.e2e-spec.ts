import { startEmbeddedCluster } from '../test.cluster.js';
import { describeObjectSelection } from './object-selection.suite.js';
import { describeResourceSelection } from './resource-selection.suite.js';

describeResourceSelection('the selection of resources and namespaces on embedded-kube', startEmbeddedCluster);
describeObjectSelection('the selection of objects on embedded-kube', startEmbeddedCluster);
