// Validates the bundle in a folder as tools of the Operator Lifecycle Manager do, and prints each error and each warning as a line.
// It ends with 1 if there are errors, and with 2 if the bundle cannot be loaded.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/operator-framework/api/pkg/manifests"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"github.com/operator-framework/api/pkg/validation"
	interfaces "github.com/operator-framework/api/pkg/validation/interfaces"
	"sigs.k8s.io/yaml"
)

// All validators of bundles but the deprecated one of the community's catalogue, and the one that pulls images to look at their platforms.
var validators = interfaces.Validators{
	validation.ClusterServiceVersionValidator,
	validation.CustomResourceDefinitionValidator,
	validation.BundleValidator,
	validation.OperatorHubV2Validator,
	validation.StandardCategoriesValidator,
	validation.StandardCapabilitiesValidator,
	validation.ObjectValidator,
	validation.AlphaDeprecatedAPIsValidator,
	validation.GoodPracticesValidator,
}

func main() {
	folder := os.Args[1]
	bundle, err := manifests.GetBundleFromDir(folder)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(2)
	}
	failed := false
	for _, err := range unknownFields(folder) {
		failed = true
		fmt.Println("error:", err)
	}
	for _, result := range validators.Validate(bundle.ObjectsToValidate()...) {
		for _, found := range result.Errors {
			failed = true
			fmt.Println("error:", found.Error())
		}
		for _, found := range result.Warnings {
			fmt.Println("warning:", found.Error())
		}
	}
	if failed {
		os.Exit(1)
	}
}

// The loader ignores fields that it does not know, so that a misspelt one would be as good as missing.
func unknownFields(folder string) (errs []error) {
	paths, err := filepath.Glob(filepath.Join(folder, "manifests", "*.clusterserviceversion.yaml"))
	if err != nil {
		return []error{err}
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil {
			err = yaml.UnmarshalStrict(text, &operatorsv1alpha1.ClusterServiceVersion{})
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
