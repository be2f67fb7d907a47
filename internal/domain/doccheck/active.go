package doccheck

// Content that a PDF must not have.
const (
	javaScript = "JavaScript"
	filesIn    = "files inside"
	media      = "rich media"
	otherFile  = "an action that opens another file"
	xfa        = "an XFA form"
)

var (
	// actions maps the names of forbidden actions in a PDF to descriptions. A document is
	// downloaded alone, so another file would come from another host or not exist.
	actions = map[name]string{
		"JavaScript": javaScript, "Launch": "an action that starts a program",
		"ImportData": "an action that imports data", "SubmitForm": "a form that is sent",
		"GoToR": otherFile, "GoToE": otherFile,
		"Rendition": media, "Movie": media, "Sound": media, "RichMediaExecute": media,
	}

	// subtypes maps the names of forbidden annotations to descriptions.
	subtypes = map[name]string{
		"FileAttachment": filesIn,
		"RichMedia":      media, "Screen": media, "Movie": media, "Sound": media, "3D": media,
	}
)

// refuseActive returns a refusal if a value contains a dictionary with active content, at any
// depth. It does not follow references, because every object is checked.
func (f *file) refuseActive(value any) error {
	switch value := value.(type) {
	case stream:
		return f.refuseActive(value.dict)
	case array:
		for _, part := range value {
			if err := f.refuseActive(part); err != nil {
				return err
			}
		}
	case dict:
		does, err := f.forbiddenAction(value)
		if err != nil {
			return err
		}
		if does != "" {
			return refusal("must not have " + does)
		}
		for _, part := range value {
			if err := f.refuseActive(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// forbiddenAction describes the active content of a dictionary. It is empty if there is none.
func (f *file) forbiddenAction(d dict) (string, error) {
	var named [3]name
	for i, key := range []name{"S", "Subtype", "Type"} {
		value, err := f.resolve(d[key])
		if err != nil {
			return "", err
		}
		named[i], _ = value.(name)
	}
	action, subtype, kind := named[0], named[1], named[2]
	switch {
	case actions[action] != "":
		return actions[action], nil
	case subtypes[subtype] != "":
		return subtypes[subtype], nil
	case action != "" && d["JS"] != nil:
		return javaScript, nil
	case action == "Thread" && d["F"] != nil:
		return otherFile, nil
	case kind == "EmbeddedFile", d["EF"] != nil && (d["F"] != nil || d["UF"] != nil):
		return filesIn, nil
	case d["XFA"] != nil:
		return xfa, nil
	}
	return "", nil
}
