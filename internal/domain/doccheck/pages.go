package doccheck

import "fmt"

// checkPages walks the page tree and returns a refusal unless it has a page.
func (f *file) checkPages() error {
	invalid := func(text string, of ...any) error {
		return refusal("is not a valid PDF: " + fmt.Sprintf(text, of...))
	}
	catalog, err := f.dict(f.trailer["Root"])
	if err != nil {
		return err
	}
	if catalog == nil {
		return invalid("it has no catalog")
	}
	pages := 0
	seen := make(map[int]bool)
	for left := []any{catalog["Pages"]}; len(left) > 0; {
		at, ok := left[len(left)-1].(ref)
		left = left[:len(left)-1]
		if !ok || seen[at.number] {
			return invalid("its pages are not a tree")
		}
		seen[at.number] = true
		node, err := f.dict(at)
		if err != nil {
			return err
		}
		kind, err := f.resolve(node["Type"])
		if err != nil {
			return err
		}
		switch kind {
		case name("Page"):
			pages++
		case name("Pages"):
			below, err := f.resolve(node["Kids"])
			if err != nil {
				return err
			}
			nodes, ok := below.(array)
			if !ok {
				return invalid("object %d has no pages", at.number)
			}
			if left = append(left, nodes...); len(left) > maxObjects {
				return errObjects
			}
		default:
			return invalid("object %d is not a page", at.number)
		}
	}
	if pages == 0 {
		return refusal("has no page")
	}
	return nil
}

// dict returns the dictionary to which a value refers, or nil if there is none.
func (f *file) dict(value any) (dict, error) {
	value, err := f.resolve(value)
	d, _ := value.(dict)
	return d, err
}
