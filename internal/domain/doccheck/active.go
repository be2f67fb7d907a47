package doccheck

// What a PDF must not have.
const (
	javaScript = "JavaScript"
	filesIn    = "files inside"
	media      = "rich media"
	otherFile  = "an action that opens another file"
	xfa        = "an XFA form"
)

var (
	// actions are what a PDF must not do, by the names that actions have in it. A document is
	// downloaded alone, so that another file is one of another host, or none.
	actions = map[name]string{
		"JavaScript": javaScript, "Launch": "an action that starts a program",
		"ImportData": "an action that imports data", "SubmitForm": "a form that is sent",
		"GoToR": otherFile, "GoToE": otherFile,
		"Rendition": media, "Movie": media, "Sound": media, "RichMediaExecute": media,
	}

	// subtypes are what a page must not show.
	subtypes = map[name]string{
		"FileAttachment": filesIn,
		"RichMedia":      media, "Screen": media, "Movie": media, "Sound": media, "3D": media,
	}
)

// refuseActive refuses a value with a dictionary that does what a PDF must not, at any depth. What
// it refers to is an object that is looked at, too.
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

// forbiddenAction returns what a dictionary does that it must not, empty for nothing.
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
